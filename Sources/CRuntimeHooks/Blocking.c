// Calls that block a thread: sleeps, and waits for Dispatch's semaphores and groups. The dynamic linker finds these
// definitions first.
//
// In a simulation the thread is blocked until virtual time has passed, or until the object lets it go on;
// meanwhile other tasks run. Outside simulations the functions that these stand in front of are called.

#include "StandIns.h"
#include "MeasuredWaits.h"

static sleepless_blocking_hooks hooks;
/// How many threads and blocks wait for an object in simulations. While there are none, signals need no search.
static _Atomic(int) waiter_count;

bool sleepless_let_go_on(void *object, sleepless_change change) {
  return atomic_load(&waiter_count) && hooks.lets_go_on(object, change);
}

void sleepless_count_waiters(int change) { atomic_fetch_add(&waiter_count, change); }

bool sleepless_is_any_waiter(void) { return atomic_load_explicit(&waiter_count, memory_order_relaxed); }

void sleepless_uninstall_blocking_hooks(void) { hooks = (sleepless_blocking_hooks){0}; }

bool sleepless_act_outside(bool acts_outside) {
  bool previous = sleepless_thread_state.acts_outside;
  sleepless_thread_state.acts_outside = acts_outside;
  return previous;
}

const sleepless_context *sleepless_begin_driving(const sleepless_context *executor_context) {
  const sleepless_context *previous = sleepless_thread_state.driving;
  sleepless_thread_state.driving = executor_context;
  return previous;
}

const sleepless_context *sleepless_driving(void) { return sleepless_thread_state.driving; }

void *sleepless_task_of_job(void) { return sleepless_thread_state.task; }

#ifdef SLEEPLESS_CAN_CAPTURE

#include <time.h>
#include <unwind.h>

#define THREAD_SLEEP "$s10Foundation6ThreadC5sleep15forTimeIntervalySd_tFZ"
#define THREAD_SLEEP_UNTIL "$s10Foundation6ThreadC5sleep5untily0A10Essentials4DateV_tFZ"
#define SINCE_NOW "$s20FoundationEssentials4DateV20timeIntervalSinceNowSdvg"

const sleepless_context *sleepless_driven_here(void) {
  const sleepless_context *executor_context = sleepless_current_context();
  bool is_driven = executor_context && executor_context->has_clocks && executor_context == sleepless_driven();
  return is_driven ? executor_context : NULL;
}

/// The context of the simulation whose job this thread runs, if the job may be blocked here; else null. `call` is the
/// call that asks.
static const sleepless_context *blockable(sleepless_blocking_call call) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return NULL;
  if (sleepless_sampling) sleepless_sampling->blocking_calls |= call;
  return hooks.sleeps ? sleepless_driven_here() : NULL;
}

typedef struct {
  uintptr_t *frames;
  size_t count, capacity;
} stack;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *argument) {
  stack *stack = argument;
  // The stack grows downwards.
  if (stack->count == stack->capacity || _Unwind_GetCFA(frame) > (uintptr_t)sleepless_thread_state.job_frame) {
    return _URC_END_OF_STACK;
  }
  // The call itself: where it returns to, another line may begin.
  stack->frames[stack->count++] = _Unwind_GetIP(frame) - 1;
  return _URC_NO_REASON;
}

size_t sleepless_job_stack(uintptr_t *frames, size_t capacity) {
  stack stack = {.frames = frames, .capacity = capacity};
  if (sleepless_thread_state.job_frame) _Unwind_Backtrace(add_frame, &stack);
  return stack.count;
}

// Sleeps

static bool sleeps(sleepless_blocking_call call, int64_t seconds, int64_t nanoseconds) {
  const sleepless_context *executor_context = blockable(call);
  return executor_context && hooks.sleeps(executor_context->owner, seconds, nanoseconds);
}

/// The same for a function of C, unless Foundation, Dispatch or a test framework calls it. Core Foundation calls
/// `sleep(0)` while another thread has one of its locks: any thread of the process, not a job of the simulation.
static bool sleeps_in_c(sleepless_blocking_call call, const void *caller, int64_t seconds, int64_t nanoseconds) {
  // Code that a framework has called may sleep last, and its own frame is gone then.
  bool is_of_framework = sleepless_is_of_framework(caller) && sleepless_is_direct_call(caller);
  return !is_of_framework && sleeps(call, seconds, nanoseconds);
}

typedef int (*nanosleep_function)(const struct timespec *time, struct timespec *rest);
extern __attribute__((weak)) int SANITIZERS(nanosleep)(const struct timespec *time, struct timespec *rest);

INTERPOSED int nanosleep(const struct timespec *time, struct timespec *rest) {
  if (time && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000 &&
      sleeps_in_c(sleepless_call_nanosleep, CALLER, time->tv_sec, time->tv_nsec)) {
    if (rest) *rest = (struct timespec){0};
    return 0;
  }
  nanosleep_function real = REAL_AFTER(nanosleep_function, "nanosleep", SANITIZERS(nanosleep));
  return MEASURED(sleepless_wait_thread_sleep, true, real(time, rest));
}

typedef int (*usleep_function)(unsigned microseconds);
extern __attribute__((weak)) int SANITIZERS(usleep)(unsigned microseconds);

INTERPOSED int usleep(unsigned microseconds) {
  int64_t nanoseconds = (int64_t)(microseconds % 1000000) * 1000;
  if (sleeps_in_c(sleepless_call_usleep, CALLER, microseconds / 1000000, nanoseconds)) return 0;
  usleep_function real = REAL_AFTER(usleep_function, "usleep", SANITIZERS(usleep));
  return MEASURED(sleepless_wait_thread_sleep, true, real(microseconds));
}

typedef unsigned (*sleep_function)(unsigned seconds);
extern __attribute__((weak)) unsigned SANITIZERS(sleep)(unsigned seconds);

INTERPOSED unsigned sleep(unsigned seconds) {
  if (sleeps_in_c(sleepless_call_sleep, CALLER, seconds, 0)) return 0;
  sleep_function real = REAL_AFTER(sleep_function, "sleep", SANITIZERS(sleep));
  return MEASURED(sleepless_wait_thread_sleep, true, real(seconds));
}

// Foundation's sleeps read the clock in a loop. Its clock shows real time, so the whole call is replaced.

static bool sleeps_for(sleepless_blocking_call call, double seconds) {
  // Longer than a century: as long as the simulation goes on.
  double longest = 4e9;
  if (!(seconds > 0)) return sleeps(call, 0, 0);
  if (seconds > longest) return sleeps(call, (int64_t)longest, 0);
  int64_t nanoseconds = (int64_t)(seconds * 1e9 + 0.5);
  return sleeps(call, nanoseconds / 1000000000, nanoseconds % 1000000000);
}

typedef SWIFT_CALL void (*thread_sleep_function)(double seconds, SWIFT_CONTEXT void *type);

STAND_IN SWIFT_CALL void sleepless_thread_sleep(
    double seconds, SWIFT_CONTEXT void *type) __asm__(THREAD_SLEEP);
SWIFT_CALL void sleepless_thread_sleep(double seconds, SWIFT_CONTEXT void *type) {
  if (sleeps_for(sleepless_call_thread_sleep, seconds)) return;
  if (sleepless_sampling) sleepless_sampling->slept_seconds = seconds;
  REAL(thread_sleep_function, THREAD_SLEEP)(seconds, type);
}

typedef SWIFT_CALL double (*since_now_function)(double date);

STAND_IN SWIFT_CALL void sleepless_thread_sleep_until(
    double date, SWIFT_CONTEXT void *type) __asm__(THREAD_SLEEP_UNTIL);
SWIFT_CALL void sleepless_thread_sleep_until(double date, SWIFT_CONTEXT void *type) {
  bool may = blockable(sleepless_call_thread_sleep_until);
  since_now_function since_now = may ? (since_now_function)dlsym(RTLD_DEFAULT, SINCE_NOW) : NULL;
  if (since_now) {
    double seconds = since_now(date);
    // A date counts from 2001 and is exact to a tenth of a microsecond. One that is centuries away needs no rounding.
    if (seconds > 0 && seconds < 1e9) seconds = (double)hooks.rounded((int64_t)(seconds * 1e9)) / 1e9;
    if (sleeps_for(sleepless_call_thread_sleep_until, seconds)) return;
  }
  if (sleepless_sampling) sleepless_sampling->slept_until = date;
  REAL(thread_sleep_function, THREAD_SLEEP_UNTIL)(date, type);
}

// Semaphores and groups

enum { dispatch_now = 0 };
static const uint64_t dispatch_forever = ~0ull;

static int64_t time_of(int clock, const sleepless_context *executor_context) {
  return executor_context ? sleepless_virtual_time(executor_context, clock) : sleepless_real_time(clock);
}

/// The clock that a deadline is of. Wall time is stored as a negative number.
static int clock_of(uint64_t deadline) { return (int64_t)deadline < 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC; }

static int64_t left(uint64_t deadline, int64_t now) {
  int64_t time = (int64_t)deadline < 0 ? -(int64_t)deadline : (int64_t)deadline;
  return time > now ? time - now : 0;
}

static int64_t left_in_real_time(uint64_t deadline) {
  return hooks.rounded(left(deadline, time_of(clock_of(deadline), NULL)));
}

int64_t sleepless_left_until(uint64_t deadline, const sleepless_context *executor_context) {
  if (deadline == dispatch_forever) return -1;
  if (deadline == dispatch_now) return 0;
  int clock = clock_of(deadline);
  // If no code of the simulation has read the clock, the deadline was made by real time.
  if (!sleepless_clocks_are_virtual || !hooks.has_read(executor_context->owner, clock)) {
    return left_in_real_time(deadline);
  }
  return left(deadline, time_of(clock, executor_context));
}

int64_t sleepless_late_since(uint64_t deadline, const sleepless_context *executor_context) {
  // The second is C's word for now in wall time.
  if (deadline == dispatch_forever || deadline == dispatch_now || deadline == ~1ull) return 0;
  int clock = clock_of(deadline);
  // How late a deadline of real time is differs from run to run.
  if (!sleepless_clocks_are_virtual || !hooks.has_read(executor_context->owner, clock)) return 0;
  int64_t time = (int64_t)deadline < 0 ? -(int64_t)deadline : (int64_t)deadline;
  int64_t now = time_of(clock, executor_context);
  return now > time ? now - time : 0;
}

uint64_t sleepless_real_deadline(uint64_t deadline, const void *caller) {
  if (deadline == dispatch_forever || deadline == dispatch_now) return deadline;
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return deadline;
  if (!hooks.has_read || !sleepless_current_context()) return deadline;
  const sleepless_context *executor_context = sleepless_time_seen_by(sleepless_caller_of_dispatch(caller));
  int clock = clock_of(deadline);
  if (!executor_context || !hooks.has_read(executor_context->owner, clock)) return deadline;
  int64_t time = left(deadline, time_of(clock, executor_context)) + time_of(clock, NULL);
  return clock == CLOCK_REALTIME ? (uint64_t)-time : (uint64_t)time;
}

/// Waits for an object in real time, and measures that if this process measures.
static intptr_t wait_really(wait_function real, void *object, uint64_t deadline, bool is_group) {
  if (!sleepless_log || deadline == dispatch_now) return real(object, deadline);
  // Most waits need not wait.
  intptr_t status = real(object, dispatch_now);
  if (!status) return status;
  sleepless_wait_kind kind = is_group ? sleepless_wait_group : sleepless_wait_semaphore;
  return MEASURED(kind, deadline != dispatch_forever, real(object, deadline));
}

/// Waits for an object outside simulations. A thread of Dispatch's pool that waits for a block is idle.
static intptr_t wait_outside(
    wait_function real, void *object, uint64_t deadline, bool is_group, const void *caller) {
  if (!sleepless_is_of_dispatch(caller)) return wait_really(real, object, deadline, is_group);
  int place = sleepless_begin_idling();
  intptr_t status = real(object, deadline);
  sleepless_end_idling(place);
  return status;
}

/// Waits for an object. `real` takes what the object has to give, or returns a number other than zero.
static intptr_t wait(
    wait_function real, void *object, uint64_t deadline, bool is_group, const void *caller) {
  sleepless_blocking_call call = is_group ? sleepless_call_group_wait : sleepless_call_semaphore_wait;
  if (sleepless_sampling && sleepless_function_of(sleepless_caller_of_dispatch(caller)) != sleepless_sampling->function) {
    sleepless_sampling->has_wrong_caller = true;
  }
  const sleepless_context *executor_context = blockable(call);
  if (!executor_context) {
    return wait_outside(real, object, sleepless_real_deadline(deadline, caller), is_group, caller);
  }
  int64_t left = 0;
  if (deadline != dispatch_now) {
    bool is_virtual = deadline == dispatch_forever || sleepless_time_seen_by(sleepless_caller_of_dispatch(caller));
    // Before other jobs run, which take real time.
    left = is_virtual ? sleepless_left_until(deadline, executor_context) : left_in_real_time(deadline);
  }
  // On real threads another one may take the signal first.
  if (!is_group) hooks.lets_others_run_first(executor_context->owner);
  intptr_t status = real(object, dispatch_now);
  if (!status || !left) return status;
  sleepless_awaited kind = !is_group                           ? sleepless_awaited_semaphore
                           : sleepless_is_of_dispatch(caller) ? sleepless_awaited_item
                                                               : sleepless_awaited_group;
  switch (hooks.waits(executor_context->owner, object, kind, left, real)) {
    case sleepless_wait_ended: return 0;
    case sleepless_wait_timed_out: return status;
    default: return real(object, sleepless_real_deadline(deadline, caller));
  }
}

#define REAL_WAIT(name) REAL_AFTER(wait_function, #name, SANITIZERS(name))
extern __attribute__((weak)) intptr_t SANITIZERS(dispatch_semaphore_wait)(void *semaphore, uint64_t deadline);
extern __attribute__((weak)) intptr_t SANITIZERS(dispatch_group_wait)(void *group, uint64_t deadline);

INTERPOSED intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t deadline) {
  return wait(REAL_WAIT(dispatch_semaphore_wait), semaphore, deadline, false, CALLER);
}

INTERPOSED intptr_t dispatch_group_wait(void *group, uint64_t deadline) {
  return wait(REAL_WAIT(dispatch_group_wait), group, deadline, true, CALLER);
}

typedef intptr_t (*signal_function)(void *semaphore);
extern __attribute__((weak)) intptr_t SANITIZERS(dispatch_semaphore_signal)(void *semaphore);

INTERPOSED intptr_t dispatch_semaphore_signal(void *semaphore) {
  signal_function real =
      REAL_AFTER(signal_function, "dispatch_semaphore_signal", SANITIZERS(dispatch_semaphore_signal));
  intptr_t woken = real(semaphore);
  if (woken && sleepless_log) sleepless_note_goes_on();
  // After the signal: a thread that has begun to wait meanwhile may have looked before.
  // Threads that simulations block do not wait in the semaphore itself.
  bool has_let_go_on = sleepless_let_go_on(semaphore, sleepless_change_signal);
  return woken ? woken : has_let_go_on;
}

typedef void (*leave_function)(void *group);
extern __attribute__((weak)) void SANITIZERS(dispatch_group_leave)(void *group);

INTERPOSED void dispatch_group_leave(void *group) {
  leave_function leave = REAL_AFTER(leave_function, "dispatch_group_leave", SANITIZERS(dispatch_group_leave));
  // Perhaps only libdispatch still holds the group, and releases it when it is empty. Then nobody can retain it, and
  // after `leave` nobody may use it. Threads and blocks that wait for it have references.
  if (sleepless_log) sleepless_note_goes_on();
  if (!atomic_load(&waiter_count) || !hooks.retains_awaited(group, dispatch_retain)) {
    leave(group);
    // Threads and blocks that have begun to wait meanwhile may have looked before.
    if (atomic_load(&waiter_count)) hooks.lets_go_on(group, sleepless_change_unknown);
    return;
  }
  leave(group);
  if (sleepless_group_is_empty(group)) hooks.lets_go_on(group, sleepless_change_empty);
  dispatch_release(group);
}

bool sleepless_install_blocking_hooks(sleepless_blocking_hooks new_hooks) {
  bool stands_in = is_first("nanosleep", nanosleep) && is_first("usleep", usleep) && is_first("sleep", sleep) &&
                   is_first("dispatch_semaphore_wait", dispatch_semaphore_wait) &&
                   is_first("dispatch_semaphore_signal", dispatch_semaphore_signal) &&
                   is_first("dispatch_group_wait", dispatch_group_wait) &&
                   is_first("dispatch_group_leave", dispatch_group_leave) &&
                   is_first(THREAD_SLEEP, sleepless_thread_sleep) &&
                   is_first(THREAD_SLEEP_UNTIL, sleepless_thread_sleep_until) && dlsym(RTLD_DEFAULT, SINCE_NOW);
  if (stands_in) hooks = new_hooks;
  return stands_in;
}

#else

bool sleepless_install_blocking_hooks(sleepless_blocking_hooks new_hooks) { return false; }
size_t sleepless_job_stack(uintptr_t *frames, size_t capacity) { return 0; }
int64_t sleepless_left_until(uint64_t deadline, const sleepless_context *executor_context) { return -1; }
int64_t sleepless_late_since(uint64_t deadline, const sleepless_context *executor_context) { return 0; }

#endif
