// The standard library's clocks, which call `clock_gettime`. The dynamic linker finds this definition first.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT)
#include "Runtime.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <dlfcn.h>
#include <time.h>

typedef int (*clock_function)(clockid_t clock, struct timespec *time);

static _Atomic(clock_function) real_clock;

__attribute__((noinline)) static clock_function find_clock(void) {
  clock_function real = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
  atomic_store_explicit(&real_clock, real, memory_order_relaxed);
  return real;
}

__attribute__((noinline)) static int read_virtual_clock(
    clock_function real, clockid_t clock, struct timespec *time, uintptr_t caller) {
  int status = real(clock, time);
  sleepless_note_read((const void *)caller);
  if (sleepless_sampling && sleepless_is_of_runtime(caller)) {
    if (clock == CLOCK_BOOTTIME) sleepless_sampling->continuous_reads++;
    if (clock == CLOCK_MONOTONIC) sleepless_sampling->suspending_reads++;
  }
  // Only the standard library's clocks are virtual. Dispatch and Foundation get real time.
  if (!sleepless_asks.clock_is_read || !sleepless_is_of_runtime(caller)) return status;
  const sleepless_context *executor_context = sleepless_current_context();
  if (!executor_context || !executor_context->has_clocks) return status;
  int64_t seconds = time->tv_sec, nanoseconds = time->tv_nsec;
  sleepless_asks.clock_is_read(executor_context->owner, clock, &seconds, &nanoseconds);
  time->tv_sec = seconds;
  time->tv_nsec = nanoseconds;
  return status;
}

// Dispatch reads a clock several times for each job, so outside simulations this must be fast.
//
// It is not weak: the thread sanitizer has a weak definition, which the linker must not prefer.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) {
  clock_function real = atomic_load_explicit(&real_clock, memory_order_relaxed);
  if (!real) real = find_clock();
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return real(clock, time);
  return read_virtual_clock(real, clock, time, (uintptr_t)__builtin_return_address(0));
}

bool sleepless_stands_in_for_clocks(void) {
  return dlsym(RTLD_DEFAULT, "clock_gettime") == (void *)clock_gettime && find_clock();
}

#endif
