// The run loops and timers of Foundation and Core Foundation. The dynamic linker finds these definitions first.
//
// A timer that code of a simulation makes is a real timer that never gets to a real run loop. The simulation keeps its
// times. On the main actor the run loop is the main one. Its timers and blocks run as blocks of the main queue. A run
// loop of another thread runs its own while code of the simulation runs it.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <math.h>
#include <time.h>

#define RUN_LOOP_RUN "$s10Foundation7RunLoopC3runyyF"
#define RUN_LOOP_RUN_UNTIL "$s10Foundation7RunLoopC3run5untily0A10Essentials4DateV_tF"

static sleepless_run_loop_hooks hooks;
/// How many timers simulations have. While there are none, calls go to the real functions at once.
static _Atomic(int) timer_count;

void sleepless_count_run_loop_timers(int change) { atomic_fetch_add(&timer_count, change); }

#define IS_ANY_TIMER (atomic_load_explicit(&timer_count, memory_order_relaxed))

/// Whether the call is only a sample. Notes it then.
static bool samples(sleepless_run_loop_call call) {
  if (!sleepless_sampling || !sleepless_sampling->samples_run_loops) return false;
  sleepless_sampling->run_loop_calls |= call;
  return true;
}

/// The context of the simulation whose job this thread runs, if run loops are its own; else null. `caller` is where the
/// stand-in returns to.
static const sleepless_context *following(const void *caller) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed) || !hooks.creates) return NULL;
  const sleepless_context *executor_context = sleepless_driven_here();
  if (!executor_context || !executor_context->follows_queues) return NULL;
  if (sleepless_is_of_foundation(caller)) caller = sleepless_caller_of_library(caller);
  return sleepless_is_of_test_framework(caller) ? NULL : executor_context;
}

// Dates, which are seconds since 2001. They are exact to a tenth of a microsecond.

static const int64_t seconds_from_1970_to_2001 = 978307200;

static double now(const sleepless_context *executor_context) {
  int64_t time = sleepless_virtual_time(executor_context, CLOCK_REALTIME);
  return (double)(time / 1000000000 - seconds_from_1970_to_2001) + (double)(time % 1000000000) / 1e9;
}

static int64_t nanoseconds(double seconds) {
  if (!(seconds > 0)) return 0;
  // Longer than a century: as long as the simulation goes on.
  if (seconds > 4e9) return -1;
  int64_t rounded = llround(seconds * 1e6) * 1000;
  return rounded ? rounded : 1000;
}

static int64_t left_until(double date, const sleepless_context *executor_context) {
  double interval;
  // Foundation has made the date from the real one.
  if (sleepless_is_latest_date_of_foundation(date, &interval)) return nanoseconds(interval);
  return nanoseconds(date - now(executor_context));
}

// Timers

typedef void (*timer_callback)(void *timer, void *info);

/// As Core Foundation's.
typedef struct {
  long version;
  void *info;
} timer_context;

typedef void *(*create_function)(
    const void *allocator, double date, double interval, unsigned long flags, long order, timer_callback callback,
    timer_context *context);

INTERPOSED void *CFRunLoopTimerCreate(
    const void *allocator, double date, double interval, unsigned long flags, long order, timer_callback callback,
    timer_context *context) {
  (void)samples(sleepless_run_loop_create_timer_call);
  void *timer = REAL(create_function, "CFRunLoopTimerCreate")(
      allocator, date, interval, flags, order, callback, context);
  const sleepless_context *simulation = timer ? following(CALLER) : NULL;
  if (simulation) {
    int64_t period = interval > 0 ? (int64_t)fmin(fmax(1, round(interval * 1e9)), 4e18) : 0;
    hooks.creates(
        simulation->owner, timer, left_until(date, simulation), period, callback, context ? context->info : NULL);
  }
  return timer;
}

typedef void (*add_function)(void *run_loop, void *timer, const void *mode);
typedef void *(*run_loop_function)(void);

static void *main_run_loop(void) { return REAL(run_loop_function, "CFRunLoopGetMain")(); }

INTERPOSED void CFRunLoopAddTimer(void *run_loop, void *timer, const void *mode) {
  if (samples(sleepless_run_loop_add_timer_call)) return;
  if (IS_ANY_TIMER && hooks.adds(timer, run_loop, run_loop == main_run_loop())) return;
  REAL(add_function, "CFRunLoopAddTimer")(run_loop, timer, mode);
}

typedef void (*timer_function)(void *timer);

INTERPOSED void CFRunLoopTimerInvalidate(void *timer) {
  (void)samples(sleepless_run_loop_invalidate_call);
  if (IS_ANY_TIMER) hooks.invalidates(timer);
  REAL(timer_function, "CFRunLoopTimerInvalidate")(timer);
}

typedef double (*get_date_function)(void *timer);

INTERPOSED double CFRunLoopTimerGetNextFireDate(void *timer) {
  (void)samples(sleepless_run_loop_get_date_call);
  int64_t left;
  const sleepless_context *simulation = IS_ANY_TIMER ? following(CALLER) : NULL;
  if (simulation && hooks.has_date(timer, &left)) return now(simulation) + (double)left / 1e9;
  return REAL(get_date_function, "CFRunLoopTimerGetNextFireDate")(timer);
}

typedef void (*set_date_function)(void *timer, double date);

INTERPOSED void CFRunLoopTimerSetNextFireDate(void *timer, double date) {
  (void)samples(sleepless_run_loop_set_date_call);
  const sleepless_context *simulation = IS_ANY_TIMER ? following(CALLER) : NULL;
  if (simulation && hooks.sets_date(timer, left_until(date, simulation))) return;
  REAL(set_date_function, "CFRunLoopTimerSetNextFireDate")(timer, date);
}

void sleepless_call_timer(sleepless_timer_callback callback, void *timer, void *info) { callback(timer, info); }

extern const void *CFRetain(const void *object);
extern void CFRelease(const void *object);

void sleepless_retain_run_loop_timer(void *timer) { CFRetain(timer); }
void sleepless_release_run_loop_timer(void *timer) { CFRelease(timer); }
void sleepless_invalidate_timer(void *timer) { CFRunLoopTimerInvalidate(timer); }

// Run loops

INTERPOSED void *CFRunLoopGetCurrent(void) {
  (void)samples(sleepless_run_loop_get_current_call);
  const sleepless_context *simulation = following(CALLER);
  if (simulation && hooks.is_on_main_actor(simulation->owner)) return main_run_loop();
  return REAL(run_loop_function, "CFRunLoopGetCurrent")();
}

void *sleepless_current_run_loop(void) { return CFRunLoopGetCurrent(); }

typedef void (*perform_function)(void *run_loop, const void *mode, const void *block);

INTERPOSED void CFRunLoopPerformBlock(void *run_loop, const void *mode, const void *block) {
  if (samples(sleepless_run_loop_perform_call)) return;
  const sleepless_context *simulation = following(CALLER);
  if (simulation && hooks.performs(simulation->owner, run_loop, run_loop == main_run_loop(), block)) return;
  REAL(perform_function, "CFRunLoopPerformBlock")(run_loop, mode, block);
}

/// The context of the simulation whose code runs a run loop; null if the run is real.
static const sleepless_context *running(const void *caller) {
  const sleepless_context *simulation = following(caller);
  // Foundation itself runs run loops to wait for child processes.
  return simulation && !sleepless_is_of_system(caller) ? simulation : NULL;
}

static sleepless_run_loop_result run(
    double limit, sleepless_run_loop_purpose purpose, void *run_loop, const void *caller) {
  const sleepless_context *simulation = running(caller);
  if (!simulation) return sleepless_run_loop_is_real;
  return hooks.runs(simulation->owner, run_loop, left_until(limit, simulation), purpose);
}

bool sleepless_runs_run_loop(double limit, void *run_loop, const void *caller, bool *result) {
  if (samples(sleepless_run_loop_run_call)) return *result = true;
  sleepless_run_loop_result end = run(limit, sleepless_runs_until_handled, run_loop, caller);
  *result = end != sleepless_run_loop_is_empty;
  return end != sleepless_run_loop_is_real;
}

typedef SWIFT_CALL void (*run_until_function)(double limit, SWIFT_CONTEXT void *run_loop);

STAND_IN SWIFT_CALL void sleepless_run_until(double limit, SWIFT_CONTEXT void *run_loop) __asm__(RUN_LOOP_RUN_UNTIL);
SWIFT_CALL void sleepless_run_until(double limit, SWIFT_CONTEXT void *run_loop) {
  if (samples(sleepless_run_loop_run_until_call)) return;
  if (run(limit, sleepless_runs_to_limit, run_loop, CALLER) != sleepless_run_loop_is_real) return;
  run_until_function real = REAL(run_until_function, RUN_LOOP_RUN_UNTIL);
  (void)MEASURED(sleepless_wait_run_loop, true, (real(limit, run_loop), 0));
}

typedef SWIFT_CALL void (*run_forever_function)(SWIFT_CONTEXT void *run_loop);

STAND_IN SWIFT_CALL void sleepless_run_forever(SWIFT_CONTEXT void *run_loop) __asm__(RUN_LOOP_RUN);
SWIFT_CALL void sleepless_run_forever(SWIFT_CONTEXT void *run_loop) {
  if (samples(sleepless_run_loop_run_forever_call)) return;
  if (run(INFINITY, sleepless_runs_to_limit, run_loop, CALLER) != sleepless_run_loop_is_real) return;
  REAL(run_forever_function, RUN_LOOP_RUN)(run_loop);
}

// Core Foundation's functions. Foundation's methods call them, too.

static sleepless_run_loop_result run_current(
    double seconds, sleepless_run_loop_purpose purpose, const void *caller) {
  const sleepless_context *simulation = running(caller);
  if (!simulation) return sleepless_run_loop_is_real;
  return hooks.runs(simulation->owner, NULL, nanoseconds(seconds), purpose);
}

typedef void (*core_run_function)(void);

INTERPOSED void CFRunLoopRun(void) {
  if (samples(sleepless_run_loop_core_run_call)) return;
  if (run_current(INFINITY, sleepless_runs_until_stopped, CALLER) != sleepless_run_loop_is_real) return;
  (void)MEASURED(sleepless_wait_run_loop, false, (REAL(core_run_function, "CFRunLoopRun")(), 0));
}

typedef int32_t (*core_run_in_mode_function)(const void *mode, double seconds, unsigned char returns_after_source);

INTERPOSED int32_t CFRunLoopRunInMode(const void *mode, double seconds, unsigned char returns_after_source) {
  if (samples(sleepless_run_loop_core_run_in_mode_call)) return sleepless_run_loop_is_finished;
  sleepless_run_loop_purpose purpose =
      returns_after_source ? sleepless_runs_until_handled : sleepless_runs_until_stopped;
  sleepless_run_loop_result end = run_current(seconds, purpose, CALLER);
  if (end == sleepless_run_loop_is_empty) return sleepless_run_loop_is_finished;
  if (end != sleepless_run_loop_is_real) return (int32_t)end;
  core_run_in_mode_function real = REAL(core_run_in_mode_function, "CFRunLoopRunInMode");
  // The run of Foundation's method is measured, or it is no wait of the program.
  if (sleepless_log && sleepless_is_of_system(CALLER)) return real(mode, seconds, returns_after_source);
  return MEASURED(sleepless_wait_run_loop, true, real(mode, seconds, returns_after_source));
}

typedef void (*core_stop_function)(void *run_loop);

/// Whether a run loop is stopped that a simulation runs. XCTest stops its own.
static bool stops(void *run_loop, const void *caller) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed) || !hooks.stops) return false;
  if (sleepless_thread_state.acts_outside || sleepless_is_of_test_framework(caller)) return false;
  const sleepless_context *simulation = following(caller);
  return hooks.stops(simulation ? simulation->owner : NULL, run_loop, run_loop == main_run_loop());
}

INTERPOSED void CFRunLoopStop(void *run_loop) {
  if (samples(sleepless_run_loop_stop_call)) return;
  if (sleepless_log) sleepless_note_goes_on();
  if (!stops(run_loop, CALLER)) REAL(core_stop_function, "CFRunLoopStop")(run_loop);
}

extern unsigned char _CFRunLoopFinished(void *run_loop, const void *mode);
extern const void *const kCFRunLoopDefaultMode;

extern double CFRunLoopGetNextTimerFireDate(void *run_loop, const void *mode);

// A real timer on this run loop is no timer of the simulation: code outside, which had this thread before, left it.
bool sleepless_run_loop_has_sources(void) {
  void *run_loop = REAL(run_loop_function, "CFRunLoopGetCurrent")();
  return !_CFRunLoopFinished(run_loop, kCFRunLoopDefaultMode) &&
         !CFRunLoopGetNextTimerFireDate(run_loop, kCFRunLoopDefaultMode);
}

bool sleepless_install_run_loop_hooks(sleepless_run_loop_hooks new_hooks) {
  bool stands_in = is_first("CFRunLoopTimerCreate", CFRunLoopTimerCreate) &&
                   is_first("CFRunLoopAddTimer", CFRunLoopAddTimer) &&
                   is_first("CFRunLoopTimerInvalidate", CFRunLoopTimerInvalidate) &&
                   is_first("CFRunLoopTimerGetNextFireDate", CFRunLoopTimerGetNextFireDate) &&
                   is_first("CFRunLoopTimerSetNextFireDate", CFRunLoopTimerSetNextFireDate) &&
                   is_first("CFRunLoopGetCurrent", CFRunLoopGetCurrent) &&
                   is_first("CFRunLoopPerformBlock", CFRunLoopPerformBlock) &&
                   is_first(RUN_LOOP_RUN_UNTIL, sleepless_run_until) &&
                   is_first(RUN_LOOP_RUN, sleepless_run_forever) && is_first("CFRunLoopRun", CFRunLoopRun) &&
                   is_first("CFRunLoopRunInMode", CFRunLoopRunInMode) &&
                   is_first("CFRunLoopStop", CFRunLoopStop) && dlsym(RTLD_NEXT, "CFRunLoopGetMain");
  if (!stands_in || !sleepless_find_frameworks()) return false;
  hooks = new_hooks;
  return true;
}

void sleepless_uninstall_run_loop_hooks(void) { hooks = (sleepless_run_loop_hooks){0}; }

#else

void sleepless_count_run_loop_timers(int change) {}
void sleepless_call_timer(sleepless_timer_callback callback, void *timer, void *info) {}
void sleepless_retain_run_loop_timer(void *timer) {}
void sleepless_release_run_loop_timer(void *timer) {}
void sleepless_invalidate_timer(void *timer) {}
void *sleepless_current_run_loop(void) { return NULL; }
bool sleepless_run_loop_has_sources(void) { return false; }
bool sleepless_install_run_loop_hooks(sleepless_run_loop_hooks new_hooks) { return false; }
void sleepless_uninstall_run_loop_hooks(void) {}

#endif
