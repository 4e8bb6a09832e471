// The waits of a test framework, XCTest's for expectations.
//
// A wait reads the time, sets a timer for its timeout, and runs the thread's run loop until it is stopped. An
// asynchronous wait does that on a thread which it starts. XCTest calls these functions of Foundation and
// Dispatch through the dynamic linker, which finds the definitions in this file first. These pass on calls
// from other code, and those of waits that take real time.
//
// Their names are mangled as Swift mangles them.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <time.h>

#define DETACH_THREAD "$s10Foundation6ThreadC09detachNewB0yyyyYbcFZ"
#define DISPATCH_NOW "$s8Dispatch0A4TimeV3nowACyFZ"
#define ASYNC_AFTER "$s8Dispatch0A5QueueC10asyncAfter8deadline7executeyAA0A4TimeV_AA0A8WorkItemCtF"
#define RUN_LOOP_RUN "$s10Foundation7RunLoopC3run4mode6beforeSbAC4ModeV_0A10Essentials4DateVtF"
#define RUN_LOOP_STOP "$s10Foundation7RunLoopC5_stopyyF"
#define RUN_LOOP_PERFORM "$s10Foundation7RunLoopC7performyyyyYbcF"

static sleepless_wait_hooks hooks;
static code_range framework;
/// The wait of this thread, from its timer's start to the end of its run loop; null for a real one. Retained.
static _Thread_local void *wait_of_thread;
/// The time that this thread's latest wait has read.
static _Thread_local uint64_t latest_now;

static bool is_of_framework(const void *address) { return is_in(framework, address); }

typedef SWIFT_CALL void (*detach_function)(void *code, void *context, SWIFT_CONTEXT void *type);

STAND_IN SWIFT_CALL void sleepless_detach_thread(
    void *code, void *context, SWIFT_CONTEXT void *type) __asm__(DETACH_THREAD);
SWIFT_CALL void sleepless_detach_thread(void *code, void *context, SWIFT_CONTEXT void *type) {
  if (is_of_framework(CALLER)) {
    if (hooks.starts_thread(code, context)) return;
    // An asynchronous wait: the task goes on when the thread has waited.
    if (sleepless_log) sleepless_task_begins_wait(sleepless_wait_expectation, -1);
  }
  REAL(detach_function, DETACH_THREAD)(code, context, type);
}

typedef SWIFT_CALL uint64_t (*dispatch_now_function)(void);

STAND_IN SWIFT_CALL uint64_t sleepless_dispatch_now(void) __asm__(DISPATCH_NOW);
SWIFT_CALL uint64_t sleepless_dispatch_now(void) {
  if (sleepless_sampling) sleepless_sampling->clock_calls |= sleepless_clock_dispatch_now_call;
  const sleepless_context *executor_context = sleepless_time_seen_by(CALLER);
  if (executor_context) return (uint64_t)sleepless_virtual_time(executor_context, CLOCK_MONOTONIC);
  uint64_t now = REAL(dispatch_now_function, DISPATCH_NOW)();
  if (is_of_framework(CALLER)) latest_now = now;
  return now;
}

typedef SWIFT_CALL void (*async_after_function)(uint64_t deadline, void *item, SWIFT_CONTEXT void *queue);

STAND_IN SWIFT_CALL void sleepless_async_after(
    uint64_t deadline, void *item, SWIFT_CONTEXT void *queue) __asm__(ASYNC_AFTER);
SWIFT_CALL void sleepless_async_after(uint64_t deadline, void *item, SWIFT_CONTEXT void *queue) {
  if (is_of_framework(CALLER)) {
    // A wait whose expectations are all fulfilled before it begins has a timer but runs no run loop.
    sleepless_end_wait();
    wait_of_thread = hooks.begins(deadline - latest_now, item, queue);
    sleepless_thread_state.has_wait = wait_of_thread;
    if (wait_of_thread) return;
    // For Dispatch this function is the caller, so a simulation would take the timer for the program's.
    bool outer = sleepless_act_outside(true);
    REAL(async_after_function, ASYNC_AFTER)(deadline, item, queue);
    sleepless_act_outside(outer);
    return;
  }
  REAL(async_after_function, ASYNC_AFTER)(deadline, item, queue);
}

bool sleepless_stops_date(const void *caller) { return wait_of_thread && is_of_framework(caller); }

typedef SWIFT_CALL bool (*run_function)(void *mode, void *mode_object, double limit, SWIFT_CONTEXT void *run_loop);

STAND_IN SWIFT_CALL bool sleepless_run_run_loop(
    void *mode, void *mode_object, double limit, SWIFT_CONTEXT void *run_loop) __asm__(RUN_LOOP_RUN);
SWIFT_CALL bool sleepless_run_run_loop(
    void *mode, void *mode_object, double limit, SWIFT_CONTEXT void *run_loop) {
  if (!wait_of_thread || !is_of_framework(CALLER)) {
    bool result;
    if (sleepless_runs_run_loop(limit, run_loop, CALLER, &result)) return result;
    run_function run = REAL(run_function, RUN_LOOP_RUN);
    if (!is_of_framework(CALLER)) {
      return MEASURED(sleepless_wait_run_loop, true, run(mode, mode_object, limit, run_loop));
    }
    // The thread of an asynchronous wait of XCTest runs its run loop too; the task's wait is measured.
    int64_t start = sleepless_log ? sleepless_begin_unnoted() : 0;
    result = run(mode, mode_object, limit, run_loop);
    if (start) sleepless_end_unnoted(sleepless_wait_expectation, start);
    return result;
  }
  // Code that runs meanwhile on this thread may begin another wait.
  void *wait = wait_of_thread;
  wait_of_thread = NULL;
  sleepless_thread_state.has_wait = false;
  hooks.waits(wait, run_loop);
  swift_release(wait);
  return true;
}

typedef SWIFT_CALL void (*stop_function)(SWIFT_CONTEXT void *run_loop);

STAND_IN SWIFT_CALL void sleepless_stop_run_loop(SWIFT_CONTEXT void *run_loop) __asm__(RUN_LOOP_STOP);
SWIFT_CALL void sleepless_stop_run_loop(SWIFT_CONTEXT void *run_loop) {
  if (is_of_framework(CALLER) && hooks.stops(run_loop)) return;
  stop_function stop = REAL(stop_function, RUN_LOOP_STOP);
  if (!is_of_framework(CALLER)) return stop(run_loop);
  // It calls CFRunLoopStop, which must not take the caller for the program.
  bool outer = sleepless_act_outside(true);
  stop(run_loop);
  sleepless_act_outside(outer);
}

typedef SWIFT_CALL void (*perform_function)(void *code, void *context, SWIFT_CONTEXT void *run_loop);

STAND_IN SWIFT_CALL void sleepless_perform(
    void *code, void *context, SWIFT_CONTEXT void *run_loop) __asm__(RUN_LOOP_PERFORM);
SWIFT_CALL void sleepless_perform(void *code, void *context, SWIFT_CONTEXT void *run_loop) {
  // XCTest calls this to begin to evaluate a predicate repeatedly, in real time.
  if (is_of_framework(CALLER) && hooks.is_virtual()) return;
  REAL(perform_function, RUN_LOOP_PERFORM)(code, context, run_loop);
}

void sleepless_end_wait(void) {
  if (wait_of_thread) swift_release(wait_of_thread);
  wait_of_thread = NULL;
  sleepless_thread_state.has_wait = false;
}

bool sleepless_stands_in_for_dispatch_now(void) { return is_first(DISPATCH_NOW, sleepless_dispatch_now); }

bool sleepless_install_wait_hooks(sleepless_wait_hooks new_hooks, const void *address_in_framework) {
  bool stands_in = is_first(DETACH_THREAD, sleepless_detach_thread) &&
                   sleepless_stands_in_for_dispatch_now() && is_first(ASYNC_AFTER, sleepless_async_after) &&
                   sleepless_stands_in_for_date() && is_first(RUN_LOOP_RUN, sleepless_run_run_loop) &&
                   is_first(RUN_LOOP_STOP, sleepless_stop_run_loop) &&
                   is_first(RUN_LOOP_PERFORM, sleepless_perform);
  if (!stands_in) return false;
  hooks = new_hooks;
  framework = sleepless_code_around(address_in_framework);
  return framework.end != 0;
}

#else

void sleepless_end_wait(void) {}
bool sleepless_install_wait_hooks(sleepless_wait_hooks hooks, const void *address_in_framework) { return false; }

#endif
