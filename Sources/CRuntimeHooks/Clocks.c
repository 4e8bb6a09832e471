// The clocks that a program reads: those of the standard library, which calls `clock_gettime`, those of C and those of
// Dispatch. In a simulation they show the real time of its start and the virtual time since. The dynamic linker finds
// these definitions first.
//
// The system's libraries go on to get real time, and so do the test frameworks: they wait for real threads.
// Foundation's uptime is read for its caller.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <math.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

bool sleepless_clocks_are_virtual;
/// The function of Foundation that reads the uptime.
static const void *uptime_function;

#define IS_ANY_CONTEXT (atomic_load_explicit(&sleepless_context_count, memory_order_relaxed))

const sleepless_context *sleepless_time_seen_by(const void *caller) {
  if (!IS_ANY_CONTEXT || !sleepless_clocks_are_virtual || !sleepless_asks.clock_is_read) return NULL;
  if (sleepless_is_of_system(caller)) return NULL;
  const sleepless_context *executor_context = sleepless_current_context();
  return executor_context && executor_context->has_clocks ? executor_context : NULL;
}

/// Notes a call that is a sample.
static void note(sleepless_clock_call call) {
  if (sleepless_sampling) sleepless_sampling->clock_calls |= call;
}

// clock_gettime

typedef int (*clock_function)(clockid_t clock, struct timespec *time);

static int find_clock_and_read(clockid_t clock, struct timespec *time);

/// The real function. It begins as one that finds it, so that a read need not ask whether it is known: a read outside
/// simulations costs 1.02 of a plain one, not 1.08 (`Benchmarks/simulation`; the target is 1.05).
static _Atomic(clock_function) real_clock = find_clock_and_read;

static clock_function find_clock(void) {
  clock_function real = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
  if (real) atomic_store_explicit(&real_clock, real, memory_order_relaxed);
  return real;
}

__attribute__((noinline)) static int find_clock_and_read(clockid_t clock, struct timespec *time) {
  return find_clock()(clock, time);
}

static int64_t nanoseconds_of(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

int64_t sleepless_real_time(int clock) {
  struct timespec time;
  atomic_load_explicit(&real_clock, memory_order_relaxed)(clock, &time);
  return nanoseconds_of(time);
}

static void show(const sleepless_context *executor_context, clockid_t clock, struct timespec *time) {
  int64_t seconds = time->tv_sec, nanoseconds = time->tv_nsec;
  sleepless_asks.clock_is_read(executor_context->owner, clock, &seconds, &nanoseconds);
  time->tv_sec = seconds;
  time->tv_nsec = nanoseconds;
}

int64_t sleepless_virtual_time(const sleepless_context *executor_context, int clock) {
  struct timespec time;
  atomic_load_explicit(&real_clock, memory_order_relaxed)(clock, &time);
  show(executor_context, clock, &time);
  return nanoseconds_of(time);
}

/// The clock that a simulation shows in place of one that ticks at the same moments or next to them; -1 if it shows
/// none: the processor time is real.
static clockid_t shown_clock(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE: return CLOCK_REALTIME;
    case CLOCK_TAI: return CLOCK_TAI;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW: return CLOCK_MONOTONIC;
    case CLOCK_BOOTTIME: return CLOCK_BOOTTIME;
    default: return -1;
  }
}

/// The context whose time a caller of `clock_gettime` sees; null if it sees real time.
static const sleepless_context *reading_clock(const void *caller) {
  if (sleepless_is_of_runtime((uintptr_t)caller)) {
    if (!sleepless_asks.clock_is_read) return NULL;
    const sleepless_context *executor_context = sleepless_current_context();
    return executor_context && executor_context->has_clocks ? executor_context : NULL;
  }
  if (!uptime_function || !sleepless_is_of_framework(caller)) return sleepless_time_seen_by(caller);
  if (!sleepless_current_context() || sleepless_function_of(caller) != uptime_function) return NULL;
  return sleepless_time_seen_by(sleepless_caller_of_library(caller));
}

__attribute__((noinline)) static int read_virtual_clock(
    clock_function real, clockid_t clock, struct timespec *time, const void *caller) {
  int status = real(clock, time);
  sleepless_note_read(caller);
  if (sleepless_sampling) {
    if (sleepless_is_of_runtime((uintptr_t)caller)) {
      if (clock == CLOCK_BOOTTIME) sleepless_sampling->continuous_reads++;
      if (clock == CLOCK_MONOTONIC) sleepless_sampling->suspending_reads++;
    }
    note(sleepless_clock_gettime_call);
    bool is_seen = sleepless_sampling->samples_uptime && !sleepless_is_of_system(sleepless_caller_of_library(caller));
    if (is_seen) sleepless_sampling->uptime_function = sleepless_function_of(caller);
  }
  clockid_t shown = shown_clock(clock);
  const sleepless_context *executor_context = status || shown < 0 ? NULL : reading_clock(caller);
  if (!executor_context) return status;
  if (shown != clock) real(shown, time);
  show(executor_context, shown, time);
  return status;
}

// Dispatch reads a clock several times for each job, so outside simulations this must be fast.
//
// It is not weak: the thread sanitizer has a weak definition, which the linker must not prefer.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) {
  clock_function real = atomic_load_explicit(&real_clock, memory_order_relaxed);
  if (!IS_ANY_CONTEXT) return real(clock, time);
  return read_virtual_clock(real, clock, time, CALLER);
}

bool sleepless_stands_in_for_clocks(void) {
  return dlsym(RTLD_DEFAULT, "clock_gettime") == (void *)clock_gettime && find_clock();
}

int64_t sleepless_monotonic_time(void) { return sleepless_real_time(CLOCK_MONOTONIC); }

// C's other clocks

typedef time_t (*time_function)(time_t *time);
extern __attribute__((weak)) time_t SANITIZERS(time)(time_t *time);

INTERPOSED time_t time(time_t *result) {
  note(sleepless_clock_time_call);
  sleepless_note_read(CALLER);
  const sleepless_context *executor_context = sleepless_time_seen_by(CALLER);
  if (!executor_context) return REAL_AFTER(time_function, "time", SANITIZERS(time))(result);
  time_t seconds = (time_t)(sleepless_virtual_time(executor_context, CLOCK_REALTIME) / 1000000000);
  if (result) *result = seconds;
  return seconds;
}

typedef int (*timeofday_function)(struct timeval *time, void *zone);
extern __attribute__((weak)) int SANITIZERS(gettimeofday)(struct timeval *time, void *zone);

INTERPOSED int gettimeofday(struct timeval *time, void *zone) {
  note(sleepless_clock_gettimeofday_call);
  sleepless_note_read(CALLER);
  int status = REAL_AFTER(timeofday_function, "gettimeofday", SANITIZERS(gettimeofday))(time, zone);
  const sleepless_context *executor_context = status ? NULL : sleepless_time_seen_by(CALLER);
  if (!executor_context) return status;
  int64_t now = sleepless_virtual_time(executor_context, CLOCK_REALTIME);
  time->tv_sec = now / 1000000000;
  time->tv_usec = now % 1000000000 / 1000;
  return status;
}

// Dispatch's clocks. `DispatchTime.now()` is in Waits.c.

#define DISPATCH_WALL_NOW "$s8Dispatch0A8WallTimeV3nowACyFZ"

enum { dispatch_now = 0 };

typedef SWIFT_CALL uint64_t (*wall_now_function)(void);

STAND_IN SWIFT_CALL uint64_t sleepless_dispatch_wall_now(void) __asm__(DISPATCH_WALL_NOW);
SWIFT_CALL uint64_t sleepless_dispatch_wall_now(void) {
  note(sleepless_clock_dispatch_wall_now_call);
  const sleepless_context *executor_context = sleepless_time_seen_by(CALLER);
  if (executor_context) return (uint64_t)-sleepless_virtual_time(executor_context, CLOCK_REALTIME);
  return REAL(wall_now_function, DISPATCH_WALL_NOW)();
}

typedef uint64_t (*dispatch_time_function)(uint64_t when, int64_t delta);

INTERPOSED uint64_t dispatch_time(uint64_t when, int64_t delta) {
  note(sleepless_clock_dispatch_time_call);
  if (when == dispatch_now) sleepless_note_look(CALLER);
  const sleepless_context *executor_context = when == dispatch_now ? sleepless_time_seen_by(CALLER) : NULL;
  if (executor_context) when = (uint64_t)sleepless_virtual_time(executor_context, CLOCK_MONOTONIC);
  return REAL(dispatch_time_function, "dispatch_time")(when, delta);
}

typedef uint64_t (*dispatch_walltime_function)(const struct timespec *when, int64_t delta);

INTERPOSED uint64_t dispatch_walltime(const struct timespec *when, int64_t delta) {
  note(sleepless_clock_dispatch_walltime_call);
  const sleepless_context *executor_context = when ? NULL : sleepless_time_seen_by(CALLER);
  struct timespec now;
  if (executor_context) {
    int64_t time = sleepless_virtual_time(executor_context, CLOCK_REALTIME);
    now = (struct timespec){time / 1000000000, time % 1000000000};
    when = &now;
  }
  return REAL(dispatch_walltime_function, "dispatch_walltime")(when, delta);
}

// Core Foundation's clocks

static const int64_t seconds_from_1970_to_2001 = 978307200;

typedef double (*absolute_time_function)(void);

INTERPOSED double CFAbsoluteTimeGetCurrent(void) {
  note(sleepless_clock_absolute_time_call);
  const sleepless_context *executor_context = sleepless_time_seen_by(CALLER);
  if (!executor_context) return REAL(absolute_time_function, "CFAbsoluteTimeGetCurrent")();
  int64_t now = sleepless_virtual_time(executor_context, CLOCK_REALTIME);
  return (double)(now / 1000000000 - seconds_from_1970_to_2001) + (double)(now % 1000000000) / 1e9;
}

INTERPOSED double CFGetSystemUptime(void) {
  note(sleepless_clock_uptime_call);
  const sleepless_context *executor_context = sleepless_time_seen_by(CALLER);
  if (!executor_context) return REAL(absolute_time_function, "CFGetSystemUptime")();
  return (double)sleepless_virtual_time(executor_context, CLOCK_MONOTONIC) / 1e9;
}

// Sampling

bool sleepless_read_each_clock(void) {
  struct timespec precise;
  struct timeval coarse = {0};
  clock_gettime(CLOCK_REALTIME, &precise);
  int64_t now = precise.tv_sec;
  bool agree = llabs(time(NULL) - now) < 60 && !gettimeofday(&coarse, NULL) && llabs(coarse.tv_sec - now) < 60;
  agree = agree && fabs(CFAbsoluteTimeGetCurrent() + seconds_from_1970_to_2001 - now) < 60;
  int64_t wall = -(int64_t)dispatch_walltime(NULL, 0), uptime = (int64_t)dispatch_time(dispatch_now, 0);
  clock_gettime(CLOCK_MONOTONIC, &precise);
  agree = agree && llabs(wall / 1000000000 - now) < 60 && llabs(uptime / 1000000000 - precise.tv_sec) < 60;
  return agree && CFGetSystemUptime() > 0;
}

bool sleepless_install_clocks(void) {
  if (sleepless_sampling) uptime_function = sleepless_sampling->uptime_function;
  bool stands_in = sleepless_stands_in_for_dispatch_now() && is_first(DISPATCH_WALL_NOW, sleepless_dispatch_wall_now) &&
                   is_first("dispatch_time", dispatch_time) && is_first("dispatch_walltime", dispatch_walltime) &&
                   is_first("time", time) && is_first("gettimeofday", gettimeofday) &&
                   is_first("CFAbsoluteTimeGetCurrent", CFAbsoluteTimeGetCurrent) &&
                   is_first("CFGetSystemUptime", CFGetSystemUptime);
  return sleepless_clocks_are_virtual = stands_in && uptime_function && sleepless_find_frameworks();
}

void sleepless_uninstall_clocks(void) { sleepless_clocks_are_virtual = false; }

#else

bool sleepless_install_clocks(void) { return false; }
void sleepless_uninstall_clocks(void) {}
bool sleepless_read_each_clock(void) { return false; }
int64_t sleepless_real_time(int clock) { return 0; }
int64_t sleepless_monotonic_time(void) { return 0; }

#endif
