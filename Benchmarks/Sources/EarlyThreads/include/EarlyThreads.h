#pragma once

/// The number of threads that start before `main`: half of them before the loader initialises any
/// other code of the program.
enum { early_threads = 8 };
