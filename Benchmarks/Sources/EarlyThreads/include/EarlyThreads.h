#pragma once

/// How many threads are started before `main`, half of them before the loader has begun with
/// anything else of the program's.
enum { early_threads = 8 };
