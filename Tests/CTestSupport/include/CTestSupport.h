// What tests need of C. When a process with tests begins, this gives it a folder for temporary files.
#pragma once

/// A variable of C code, which retains nothing.
void test_support_set_pointer(void *pointer);
void *test_support_pointer(void);

/// Call `sleep` and `usleep` for ten seconds, last and without a frame, as optimised code does.
void test_support_sleep_last(void);
void test_support_usleep_last(void);

/// Gives a queue a block of C that does so.
void test_support_sync_that_sleeps_last(void *queue);
