// What tests need of C. When a process with tests begins, this gives it a folder for temporary files.
#pragma once

/// A variable of C code, which retains nothing.
void test_support_set_pointer(void *pointer);
void *test_support_pointer(void);
