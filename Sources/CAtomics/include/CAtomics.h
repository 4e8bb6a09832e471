#pragma once

// A number that threads share. Swift has one only in its module Synchronization, which needs macOS 15. In a
// debug build from scratch the compiler compiles that module anew to index it, which takes over a second.

/// Reads the number and acquires.
unsigned long sleepless_load(const unsigned long *number);

/// Writes the number and releases.
void sleepless_store(unsigned long *number, unsigned long value);

/// Writes `value` if the number is `old`, and returns whether it was. Acquires, and releases if it writes.
_Bool sleepless_replace(unsigned long *number, unsigned long old, unsigned long value);

#ifndef __APPLE__

#include <pthread.h>

// A mutex on the heap, for `Lock`: allocating it in Swift is slow in a debug build.

/// Allocates a mutex; null if there is no memory.
pthread_mutex_t *sleepless_make_mutex(void);

/// Frees a mutex that no thread uses.
void sleepless_free_mutex(pthread_mutex_t *mutex);

#endif
