#pragma once
// `errno` is a macro, for which Swift has a variable of its own: Foundation.swift.
#define ESRCH 3
#define EINTR 4
