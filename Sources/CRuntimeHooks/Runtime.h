// Facts about the concurrency runtime (Swift 6.3) and about the running code that several files here need.
//
// The files rely on the arguments and results of the functions, and on the layout of an async function's
// context: it begins with its caller's context and the function to return to. Both are stable, as compiled
// code relies on them too.

#pragma once

#include "CRuntimeHooks.h"

#include <stdatomic.h>
#include <stddef.h>

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE) && __has_attribute(swiftasynccall)
#define SLEEPLESS_CAN_CAPTURE 1
#endif

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_ASYNC_CALL __attribute__((swiftasynccall))
#define SWIFT_ASYNC_CONTEXT __attribute__((swift_async_context))
#define SWIFT_CONTEXT __attribute__((swift_context))
// A definition that the dynamic linker finds before the runtime's. Weak, so that a program with the runtime linked
// into it keeps the runtime's own definition.
#define STAND_IN __attribute__((weak, visibility("default")))
#define SHARED __attribute__((visibility("hidden"))) extern

extern void swift_release(void *object);
extern void *swift_retain(void *object);
extern void *swift_tryRetain(void *object);
extern void *swift_unownedRetain(void *object);
extern void *swift_initStackObject(void *metadata, void *object);
extern size_t swift_retainCount(void *object);
extern SWIFT_CALL void *swift_task_getCurrent(void);
extern SWIFT_CALL size_t swift_task_getJobFlags(void *job);
extern SWIFT_CALL void swift_task_cancel(void *task);
extern SWIFT_CALL void swift_task_enqueue(
    void *job, const void *identity, uintptr_t implementation);

#ifdef __APPLE__
#define SINCE_EXECUTOR_PREFERENCES __attribute__((weak_import))
#else
#define SINCE_EXECUTOR_PREFERENCES
#endif

extern SINCE_EXECUTOR_PREFERENCES SWIFT_CALL void swift_job_run_on_task_executor(
    void *job, const void *identity, uintptr_t implementation);

/// What a thread is doing.
typedef struct {
  /// Whether the running code belongs to no context, whatever else the thread is doing.
  bool acts_outside;
  /// The context of the executor whose jobs the thread runs, and the task that drives it on the thread, if a task does.
  /// That task does not belong to the simulation, but its code acts for the simulation.
  sleepless_role role;
  /// The executor's task that the thread runs, if the job is a task's.
  void *task;
  /// The context of the new task whose first job the thread enqueues.
  const sleepless_context *starting;
  /// The context whose driver is on the thread's stack.
  const sleepless_context *driving;
  /// The frame of the call that runs the job, on the thread's stack.
  void *job_frame;
  /// The number of the context whose code has begun the thread; 0 if none has.
  uint64_t begun_by;
  /// Whether a wait of a test framework has set its timer on the thread, and runs no run loop yet.
  bool has_wait;
} sleepless_thread;

/// Read without a call: the linker gives it a fixed place beside the thread's own data.
SHARED _Thread_local sleepless_thread sleepless_thread_state __attribute__((tls_model("initial-exec")));

/// As `sleepless_enter`, without a call.
static inline sleepless_role enter(const sleepless_context *executor_context) {
  sleepless_role previous = sleepless_thread_state.role;
  sleepless_thread_state.role = (sleepless_role){executor_context, executor_context ? swift_task_getCurrent() : NULL};
  return previous;
}

/// How many contexts there are.
SHARED _Atomic(int) sleepless_context_count;

/// Adds one to the count, and makes libraries call the stand-ins, see `sleepless_begin_direct_calls`.
SHARED void sleepless_add_context(void);

/// Subtracts one from the count. After the last one, libraries call the real functions directly again.
SHARED void sleepless_subtract_context(void);

#ifdef SLEEPLESS_CAN_CAPTURE

typedef SWIFT_ASYNC_CALL void (*resume_function)(
    SWIFT_ASYNC_CONTEXT void *context, SWIFT_CONTEXT void *error);

typedef struct async_context {
  struct async_context *parent;
  resume_function resume_parent;
} async_context;

extern SWIFT_CALL sleepless_executor swift_task_getPreferredTaskExecutor(void);

SHARED sleepless_hooks sleepless_asks;

/// Where the stand-ins note their calls while the probe samples; null at other times. Only the loader's thread
/// changes it, before other threads start.
SHARED sleepless_sample *sleepless_sampling;
/// Whether sampled detached tasks get their creator's task-local values.
SHARED bool sleepless_sample_adds_locals;
/// The executor that sampled tasks get if they prefer none; nothing if they get none.
SHARED sleepless_executor sleepless_sample_preference;

SHARED bool sleepless_stands_in_for_hops(void);
SHARED bool sleepless_stands_in_for_clocks(void);
SHARED bool sleepless_stands_in_for_date(void);
SHARED bool sleepless_stands_in_for_dispatch_now(void);

/// Whether code at an address must see no time pass in Foundation's dates: a test framework in a wait that takes
/// virtual time. Its own loop would end the wait at the timeout.
SHARED bool sleepless_stops_date(const void *caller);

/// The context of the simulation that this thread drives, if the calling code belongs to it; else null.
SHARED const sleepless_context *sleepless_driven_here(void);

/// The context of the simulation whose code uses a queue; null if the real function is to be called. `caller` is where
/// the stand-in returns to.
SHARED const sleepless_context *sleepless_capturing_queues(const void *caller);

/// Runs a run loop of Foundation's class if it is a simulation's, and stores whether there was something to run; else
/// returns false.
SHARED bool sleepless_runs_run_loop(double limit, void *run_loop, const void *caller, bool *result);

/// Whether this is the latest date that Foundation has made from the real one in code of a simulation on this thread;
/// if so, stores how long after that date it is.
SHARED bool sleepless_is_latest_date_of_foundation(double date, double *interval);

/// Lets those go on that wait in simulations for an object; returns whether there is one.
SHARED bool sleepless_let_go_on(void *object, sleepless_change change);

/// Whether a block of Dispatch is a work item.
SHARED bool sleepless_is_work_item(const void *block);

/// A queue or a source is resumed or activated.
SHARED void sleepless_timer_goes_on(void *object, bool is_activation);

/// The addresses of code that one file was loaded with, and of what lies between.
typedef struct {
  uintptr_t start, end;
} code_range;

static inline bool is_in(code_range code, const void *address) {
  return (uintptr_t)address >= code.start && (uintptr_t)address < code.end;
}

/// The code of the file that an address belongs to; an empty range if it belongs to none.
SHARED code_range sleepless_code_around(const void *address);

/// Whether an address in some code can be one to which a call returns.
SHARED bool sleepless_is_after_call(code_range code, const void *address);

/// An address as a number that no search of memory takes for one: what a table here names is not held by it, and may be
/// gone.
static inline uintptr_t hidden(const void *address) { return ~(uintptr_t)address; }

/// Finds the code of Foundation, of the test frameworks and of libdispatch, which get real queues, and of the system's
/// other libraries, which get real time.
SHARED bool sleepless_find_frameworks(void);
/// The next definition of a function in the order in which the linker searches, in a version that behaves as programs
/// expect.
SHARED void *sleepless_next_definition(const char *name);
SHARED bool sleepless_is_of_framework(const void *address);

/// Whether the call that returns to an address is a direct one, of a function that the code there names. An indirect
/// one calls a function that the code was given, and so does the call of a function that only jumps there. If that
/// function makes a call last, optimised code jumps to it, and it returns to this address, too.
SHARED bool sleepless_is_direct_call(const void *address);
/// Of libdispatch or of its overlay for Swift.
SHARED bool sleepless_is_of_any_dispatch(const void *address);
/// The code of libdispatch.
SHARED code_range sleepless_libdispatch;
static inline bool sleepless_is_of_dispatch(const void *address) { return is_in(sleepless_libdispatch, address); }
SHARED bool sleepless_is_of_dispatch_overlay(const void *address);
SHARED bool sleepless_is_of_run_loop(const void *address);
SHARED bool sleepless_is_of_testing(const void *address);
SHARED bool sleepless_is_of_networking(const void *address);

// What is under way outside simulations; see Activity.c. Calls of this library itself are not noted.
/// Notes that work is due at a time of Dispatch.
SHARED void sleepless_note_deadline(uint64_t deadline);
/// Notes a source, and whether it may bring events at any moment.
SHARED void sleepless_note_source(const void *source, bool brings_events);
/// Notes the times of a timer source.
SHARED void sleepless_note_source_times(const void *source, uint64_t start, uint64_t interval, uint64_t leeway);
SHARED void sleepless_note_source_end(const void *source);
/// Notes that the running code begins work that no simulation controls.
SHARED void sleepless_note_outside(sleepless_outside_kind kind);
/// Notes a call that looks outside the process.
SHARED void sleepless_note_look(const void *caller);
/// Notes a call that reads a clock or a descriptor.
SHARED void sleepless_note_read(const void *caller);
SHARED bool sleepless_is_of_test_framework(const void *address);
SHARED bool sleepless_is_of_foundation(const void *address);
/// Whether an address is code of a library of the toolchain or of the system.
SHARED bool sleepless_is_of_system(const void *address);

/// The context of the simulation that this thread drives; null if it does not follow queues.
SHARED const sleepless_context *sleepless_following_queues(void);

// Operations, see Operations.c
/// Whether an address is code in which operations give work to queues.
SHARED bool sleepless_is_of_operation(const void *address);
/// Whether the call is only a sample of an operation. Notes the function that makes it.
SHARED bool sleepless_samples_operation(const void *caller);
/// Whether a simulation keeps an operation that is given to a queue, until Foundation has given all that waited for the
/// same one.
SHARED bool sleepless_keeps_operation(
    const sleepless_context *simulation, void *queue, const void *block, bool is_barrier);
/// Notes that the running code broadcasts a condition.
SHARED void sleepless_note_broadcast(void);

/// The address after this thread's stack; 0 if it is not known.
SHARED uintptr_t sleepless_stack_end(void);
/// The code that has called Dispatch, if an address is Dispatch's: the caller of the functions of Dispatch that are on
/// this thread's stack. Else, and if no caller is found, the address itself.
SHARED const void *sleepless_caller_of_dispatch(const void *address);
/// The same for the library that an address belongs to.
SHARED const void *sleepless_caller_of_library(const void *address);
/// The function that a call returns to; the address itself if the function is not known.
SHARED const void *sleepless_function_of(const void *caller);

/// The context of the simulation whose time the code at an address sees; null if it sees real time.
SHARED const sleepless_context *sleepless_time_seen_by(const void *caller);
/// What a clock shows in a simulation, in nanoseconds.
SHARED int64_t sleepless_virtual_time(const sleepless_context *executor_context, int clock);
/// Whether a program's clocks show the virtual time of simulations, besides those of the standard library.
SHARED bool sleepless_clocks_are_virtual;
/// The deadline at which as much real time has passed as is left in the simulation, if the caller has made the deadline
/// by its clocks. Else that deadline itself.
SHARED uint64_t sleepless_real_deadline(uint64_t deadline, const void *caller);

/// Whether an address is code of the concurrency runtime.
SHARED bool sleepless_is_of_runtime(uintptr_t address);

/// The table of functions under which tasks of simulations enter actors, see `Actors.c`; 0 if they enter
/// actors directly.
SHARED _Atomic(uintptr_t) sleepless_actor_hook;

/// The table of functions that a task of that context uses for an executor. Only an actor without an
/// executor of its own has none.
SHARED uintptr_t sleepless_known_as(
    const sleepless_context *executor_context, const void *identity, uintptr_t implementation);

#endif
