#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "MeasuredWaits.h"

/// An executor as the runtime passes it: the object and its table of functions.
typedef struct __attribute__((swift_attr("@Sendable"))) {
  const void *identity;
  uintptr_t implementation;
} sleepless_executor;

enum { sleepless_signal_place_limit = 4 };

/// The context of a capturing executor: what the C code needs to know about it.
typedef struct {
  /// The executor. Tasks that its code creates prefer it, unless they were created to prefer another one.
  sleepless_executor executor;
  /// The Swift object, for the functions below.
  void *owner;
  /// Which context of the process it is, counted from 1 in the order in which they were added.
  uint64_t number;
  /// Whether tasks that its code creates belong to it; false once it is closed.
  bool captures;
  /// Whether the standard library's clocks show its time, because it is a simulation's executor.
  bool has_clocks;
  /// Whether blocks that its code gives to queues of Dispatch run in it.
  bool follows_queues;
  /// The number of the record of the exploration that it runs schedules of, from `sleepless_watch_crashes`; 0 if it
  /// runs none.
  int crash_record;
  /// How many sources the main run loop has handled, if no test hosts the simulation.
  long main_run_loop_sources;
  /// The first places where its code called a function that installs a signal handler, or one that starts a timer of
  /// the system: return addresses. Unused entries are 0. A call that fails is noted, too.
  uintptr_t signal_handlers[sleepless_signal_place_limit], system_timers[sleepless_signal_place_limit];
} sleepless_context;

/// One of its `signal_handlers`. A signal handler may add one meanwhile.
static inline uintptr_t sleepless_signal_handler(const sleepless_context *executor_context, int index) {
  return __atomic_load_n(&executor_context->signal_handlers[index], __ATOMIC_RELAXED);
}

/// One of its `system_timers`.
static inline uintptr_t sleepless_system_timer(const sleepless_context *executor_context, int index) {
  return __atomic_load_n(&executor_context->system_timers[index], __ATOMIC_RELAXED);
}

/// Adds to its `main_run_loop_sources`, and returns the sum.
static inline long sleepless_add_main_run_loop_sources(sleepless_context *executor_context, long change) {
  return __atomic_add_fetch(&executor_context->main_run_loop_sources, change, __ATOMIC_RELAXED);
}

/// Its `captures`. Another thread may close it meanwhile: one that gives the simulation up.
static inline bool sleepless_captures(const sleepless_context *executor_context) {
  return __atomic_load_n(&executor_context->captures, __ATOMIC_RELAXED);
}

/// The functions that are called for capturing executors.
typedef struct {
  /// A task that belongs to one was created, and its first job is about to be enqueued. `starts_here` is
  /// true if the job comes to the executor. `name` is the task's name or null, `code` the function that it
  /// runs, `context` the captures of that function or null.
  void (*task_was_made)(
      void *owner, void *task, const char *name, const void *code, const void *context,
      bool starts_here);
  /// A detached task that will belong to one is about to be created. Calls `make` with `creation`, once, in a
  /// task whose task-local values the new task gets, and returns true; or does nothing and returns false.
  bool (*makes_detached)(void *owner, void (*make)(void *creation), void *creation);
  /// A task that was reported to `task_was_made` ends, `by_error` if its function throws; `owner` is its executor, or
  /// null if unknown.
  void (*task_has_ended)(void *owner, void *task, bool by_error);
  /// Code of a capturing executor calls `cancel()` of a task, which may be another one's.
  void (*task_is_cancelled)(void *owner, void *task);
  /// A clock of the standard library is read. Replaces its real time by the time to show.
  void (*clock_is_read)(void *owner, int clock, int64_t *seconds, int64_t *nanoseconds);
  /// The context of a capturing executor.
  const sleepless_context *(*context_of)(const void *executor);
} sleepless_hooks;

/// Registers the conformances of this program's types to protocols with the runtime. The start of the
/// program would do that only later.
void sleepless_register_conformances(void);

/// Begins to call the hooks, before the first `sleepless_enter`.
void sleepless_install(sleepless_hooks hooks);

/// Calls no hooks any more, and lets tasks enter actors as without this library.
void sleepless_uninstall(void);

/// Begins to call `find` for a task that code without a context creates. `find` returns the task's context,
/// or null. It retains the executor of that context, so that the executor lives until the task retains it.
void sleepless_set_context_for_task(const sleepless_context *(*find)(void));

/// For which context a thread runs jobs, and which task drives it there.
typedef struct {
  const sleepless_context *executor_context;
  void *driver;
} sleepless_role;

/// Sets the context whose jobs this thread runs from now on, null for none. The current task drives it. Returns the
/// role that the thread had before.
sleepless_role sleepless_enter(const sleepless_context *executor_context);

/// Gives this thread the role again that it had before.
void sleepless_return_to(sleepless_role role);

/// Runs a job of the context that this thread runs, on a serial executor if one is given.
void sleepless_run(const sleepless_context *executor_context, void *job, sleepless_executor serial);

/// The context whose jobs this thread runs, or null. The running code may still belong to another context
/// or to none: an actor that several simulations use runs the jobs of all of them on a thread of one.
const sleepless_context *sleepless_driven(void);

/// The context that the running code belongs to, if that context captures what its code does; else null.
///
/// A task belongs to the executor that it prefers, on every thread. Code outside tasks belongs to the
/// context of its thread.
const sleepless_context *sleepless_current_context(void);

/// Whether this thread runs a context's jobs, and the running code belongs to it. An actor that a simulation shares
/// with other code may run that code's jobs on the simulation's thread.
bool sleepless_runs_here(const sleepless_context *executor_context);

/// Runs a job of this thread's context that belongs to no executor: one that empties an actor's queue, or ends a sleep.
void sleepless_run_anywhere(void *job);

/// Adds a context, and numbers it. While there is none, the hooks return at once.
void sleepless_begin(sleepless_context *executor_context);

/// Closes a context: its tasks that still run belong to none from now on.
void sleepless_close(sleepless_context *executor_context);

/// Subtracts a context from those that `sleepless_begin` has added.
void sleepless_end(void);

/// Makes the toolchain's libraries call some functions of Dispatch and of the C library directly while there is no
/// context. Returns the number of changed table entries: 0 if waits are measured, with the thread sanitizer, and if no
/// entry can be changed. No other thread may run yet. Linux only.
int sleepless_begin_direct_calls(void);

/// Whether these entries hold the addresses of the real functions now.
bool sleepless_has_direct_calls(void);

/// A job that enters an actor so that a task of a simulation can run there.
typedef struct {
  /// The runtime's job object; nothing else owns it.
  _Alignas(16) char job[64];
  const sleepless_context *executor_context;
  /// The function to call in the actor, on the thread that drains it, with the argument. Before it returns, another
  /// thread may use the entry for the next actor, or free it.
  void (*run)(void *argument);
  void *argument;
} sleepless_actor_entry;

/// Makes tasks of simulations enter actors under this table of functions, and makes other tasks that leave
/// an actor on a simulation's thread continue on `exit_executor`.
void sleepless_install_actor_hook(uintptr_t implementation, sleepless_executor exit_executor);

/// Enqueues an entry in an actor. If the actor is free the entry has run when this returns; otherwise the
/// thread that is in the actor runs it later.
void sleepless_enter_actor(sleepless_actor_entry *entry, const void *actor);

/// Whether code of the program has hopped from the actor that this thread entered to no actor.
bool sleepless_has_left_actor(void);

/// Sets where this thread keeps the next job that it enqueues on the process's executors or in an actor hook: the
/// job is stored there and does not run. With null the thread keeps no job. Returns the place set before.
void **sleepless_keep_next_job(void **job);

/// Keeps a job that an executor gets, if this thread has a place for it; returns whether it has kept the job.
bool sleepless_takes_kept_job(void *job);

/// Whether a job drains an actor: runs the jobs in the actor's own queue.
bool sleepless_is_drain_job(void *job);

/// Retains an object unless its deinitialisation has begun; its memory must be held.
bool sleepless_try_retain(const void *object);

void sleepless_release(const void *object);

/// Whether the running code is isolated to an actor, as far as the runtime knows.
bool sleepless_is_isolated(const void *actor);

/// Enqueues a task in an actor's own queue.
void sleepless_enqueue_in_actor(void *task, const void *actor);

/// Keeps a job that an executor gets, if it is the first job of the task that this thread creates; returns
/// whether it has kept the job. The job is enqueued again when `task_was_made` has returned.
bool sleepless_takes_first_job(void *job);

/// The task that this thread runs, or null.
void *sleepless_current_task(void);

/// The system's number of this thread; 0 where the process is not captured.
int sleepless_thread_number(void);

/// The executor that the current task prefers; without one, nothing.
sleepless_executor sleepless_preferred_executor(void);

/// Whether a job is a task's, and not an actor's or the runtime's own.
bool sleepless_is_task(void *job);

/// Cancels a task, which must be retained unless it cannot end meanwhile.
void sleepless_cancel_task(void *task);

/// Whether a task that has not ended runs, or is enqueued to run, anywhere; false if unknown.
bool sleepless_can_run(void *task);

/// Writes the functions that a suspended task will return to, innermost first, as addresses of code;
/// returns how many there are, at most `capacity`.
int sleepless_suspended_frames(void *task, const void **frames, int capacity);

/// A function to which the running code will return: an address in its code, and the address of its frame.
typedef struct {
  uintptr_t address, pointer;
} sleepless_frame;

/// An address on the stack where the calling function has called this one. Functions further down have lower addresses.
uintptr_t sleepless_stack_position(void);

/// Writes the functions to which the running code will return, innermost first; returns how many there are, at most
/// `capacity`.
size_t sleepless_calling_frames(sleepless_frame *frames, size_t capacity);

/// Writes the functions that wait for an asynchronous function to return, innermost first, as addresses of code;
/// returns how many there are, at most `capacity`.
size_t sleepless_waiting_frames(sleepless_frame frame, uintptr_t *addresses, size_t capacity);

/// An address in the initializer of a global or static variable that this thread runs, the innermost one; null if it
/// runs none, and where the frames on the stack cannot be followed.
const void *sleepless_running_initializer(void);

/// Copies memory of this process to `bytes`, or returns false if it is not mapped.
typedef bool (*sleepless_reader)(uintptr_t address, void *bytes, size_t size);

/// As above, for a task that may run or end meanwhile; then the result means nothing.
int sleepless_copied_frames(
    void *task, const void **frames, int capacity, sleepless_reader read);

/// The first object of a class that a closure on the heap has captured, or that a closure captured by it has
/// captured, down to two such closures; null if there is none.
const void *sleepless_captured(
    const void *context, const void *class_metadata, sleepless_reader read);

/// Finds the file that an address of code was loaded from, and the offset of the address in the file's
/// memory; `name` is the name of the exported function there, or null.
bool sleepless_locate(
    const void *address, const char **file, uintptr_t *offset, const char **name);

/// Gets the name of a function, and the file and the line of it; the line is 0 if it is unknown.
typedef void (*sleepless_symbol_visitor)(
    void *owner, const char *name, const char *path, intptr_t line);

/// Calls `visit` with each function at an address of code, in the file that `sleepless_locate` finds; of inlined
/// functions the outermost comes first. Takes milliseconds or more. The module DebugInformation has it.
void sleepless_read_symbols(
    uintptr_t address, const char *file, uint64_t offset, void *owner,
    sleepless_symbol_visitor visit);

/// Releases all references to a closure's context except the caller's one, and returns how many it has
/// released. If it has released any, the context's memory is never freed.
size_t sleepless_release_other_references(void *context);

/// How many strong references an object has.
size_t sleepless_retain_count(const void *object);

/// Restores a context that has been deinitialised since, with `count` references, so that their owners can
/// release them.
void sleepless_restore_references(void *context, size_t count);

/// Maps a new file of that size, filled with zeros, into memory; null if that fails.
void *sleepless_map_file(const char *path, size_t size);

void sleepless_unmap_file(void *memory, size_t size);

/// Makes a crash of the process print a record as it is at the crash: a name, a newline, and a replay string up to
/// the first zero. Without a string nothing is printed. Returns the record's number, for `sleepless_unwatch_crashes`,
/// or 0 if too many are in use.
///
/// If the thread that crashes runs a schedule, only that schedule's record is printed. The last byte of that record
/// becomes `sleepless_crash_here`, that of the others `sleepless_crash_elsewhere`. If it runs none, all records are
/// printed, and the last byte of each becomes `sleepless_crash_outside`. If the signal was sent with `kill` or
/// `sigqueue`, by this process or another one, all records are printed, and their last bytes stay 0.
int sleepless_watch_crashes(void *record, size_t size);

/// Takes a record out. Returns whether its memory may be unmapped: not if the process is crashing, as the crashing
/// thread may be reading it.
bool sleepless_unwatch_crashes(int number);

/// Puts a character of a record in place of the zero that ends the record, and a zero after it. The record ends
/// with a zero at each moment.
void sleepless_put_in_record(char *place, char byte);

/// Adds a line in place of the zero that ends a record: a letter, one number or two, and the first 64 bytes of a name
/// or null, with spaces between them. A newline in the name becomes a space. A reader sees all of the line or nothing
/// of it. Returns the line's length, or 0 if `room` is smaller than the longest line.
size_t sleepless_add_line_to_record(
    char *place, size_t room, char kind, int64_t first, bool has_second, int64_t second, const char *name);

enum {
  /// The thread that crashed ran this schedule.
  sleepless_crash_here = 1,
  /// It ran another one.
  sleepless_crash_elsewhere,
  /// It ran none.
  sleepless_crash_outside,
};

// The waits of a test framework

/// The functions that are called for the waits of a test framework.
typedef struct {
  /// The framework starts a thread for a wait. Returns true if it has started one itself, or false if it is to
  /// be started as usual. `code` and `context` are the function that the thread runs.
  bool (*starts_thread)(const void *code, const void *context);
  /// Whether a wait of this thread would take virtual time.
  bool (*is_virtual)(void);
  /// This thread begins a wait and sets its timer: a work item on a queue, after so many nanoseconds. Returns
  /// an object for the wait, retained, if the wait takes virtual time; else null.
  void *(*begins)(uint64_t nanoseconds, const void *item, const void *queue);
  /// The wait runs its run loop. Returns when the run loop is stopped.
  void (*waits)(void *wait, const void *run_loop);
  /// The framework stops a run loop; returns whether a wait in virtual time runs it.
  bool (*stops)(const void *run_loop);
} sleepless_wait_hooks;

/// Begins to call the hooks for waits of the library that an address belongs to; false if its calls cannot be
/// replaced.
bool sleepless_install_wait_hooks(sleepless_wait_hooks hooks, const void *address_in_framework);

/// Forgets the wait that this thread has begun, if it has not run a run loop.
void sleepless_end_wait(void);

// Calls that block a thread

/// The calls that block a thread. Each is one bit.
typedef enum {
  sleepless_call_nanosleep = 1,
  sleepless_call_usleep = 2,
  sleepless_call_sleep = 4,
  sleepless_call_thread_sleep = 8,
  sleepless_call_thread_sleep_until = 16,
  sleepless_call_semaphore_wait = 32,
  sleepless_call_group_wait = 64,
  sleepless_all_blocking_calls = 127,
} sleepless_blocking_call;

/// What a thread waits for.
typedef enum {
  sleepless_awaited_semaphore,
  sleepless_awaited_group,
  /// A work item: libdispatch waits for the item's group.
  sleepless_awaited_item,
} sleepless_awaited;

/// The result of a wait for one of these.
typedef enum {
  sleepless_wait_ended,
  sleepless_wait_timed_out,
  /// The thread cannot be blocked by the simulation: the real function has to wait.
  sleepless_wait_is_real,
} sleepless_wait_result;

/// How an object has changed that threads may wait for.
typedef enum {
  /// One thread may go on: a semaphore was signalled.
  sleepless_change_signal,
  /// All may go on: a group was empty.
  sleepless_change_empty,
  /// A group may have been empty. All have to look.
  sleepless_change_unknown,
} sleepless_change;

/// The functions that are called when code of a simulation blocks its thread. `owner` is the simulation's executor.
typedef struct {
  /// Blocks this thread until so much virtual time has passed; false if it cannot.
  bool (*sleeps)(void *owner, int64_t seconds, int64_t nanoseconds);
  /// Blocks this thread until `take` returns 0, but not for longer than so many nanoseconds of virtual time; -1 stands
  /// for ever. `take` is called with the object and zero.
  sleepless_wait_result (*waits)(
      void *owner, void *object, sleepless_awaited kind, int64_t nanoseconds,
      intptr_t (*take)(void *object, uint64_t deadline));
  /// Lets other jobs run before this thread's job waits for a semaphore, if an exploration chooses some.
  void (*lets_others_run_first)(void *owner);
  /// An object that threads may wait for has changed. Returns whether a thread goes on. Any thread may call it. The
  /// object may have been released.
  bool (*lets_go_on)(void *object, sleepless_change change);
  /// Retains an object if a thread waits for it, which has a reference to it; returns whether one does.
  bool (*retains_awaited)(void *object, void (*retain)(void *object));
  /// Whether code of the simulation has read a clock.
  bool (*has_read)(void *owner, int clock);
  /// The roundest duration from this one up to a little more.
  int64_t (*rounded)(int64_t nanoseconds);
} sleepless_blocking_hooks;

/// Begins to call the hooks; false if the calls cannot be replaced.
bool sleepless_install_blocking_hooks(sleepless_blocking_hooks hooks);

/// Calls the hooks no more.
void sleepless_uninstall_blocking_hooks(void);

/// The calls on this thread's stack from the innermost one to the job's first, as addresses of code. Returns how many
/// there are, at most `capacity`.
size_t sleepless_job_stack(uintptr_t *frames, size_t capacity);

/// Adds to the number of threads and blocks that wait for objects in simulations. `lets_go_on` is called while it is
/// not zero.
void sleepless_count_waiters(int change);

/// Whether that number is not zero.
bool sleepless_is_any_waiter(void);

/// Notes that a driver of a context runs on this thread from now on, null for none; returns the one noted before.
const sleepless_context *sleepless_begin_driving(const sleepless_context *executor_context);

/// The context whose driver runs on this thread, or null. Another thread may run a job of the context: the one that
/// entered an actor first runs the jobs of all.
const sleepless_context *sleepless_driving(void);

/// The task whose job this thread runs; null if it is an actor's job. Code in the job may run jobs of other tasks.
void *sleepless_task_of_job(void);

/// Sets whether this thread's code belongs to no context, so that what it creates is captured by none and its waits
/// are real. Returns the earlier setting.
bool sleepless_act_outside(bool acts_outside);

/// Notes that this thread waits for work; returns the place to end that with.
int sleepless_begin_idling(void);
void sleepless_end_idling(int place);

// Dispatch's queues

/// The calls that give a queue work or let it go on. Each is one bit.
typedef enum {
  sleepless_call_async = 1,
  sleepless_call_barrier_async = 2,
  sleepless_call_group_async = 4,
  sleepless_call_after = 8,
  sleepless_call_sync = 16,
  sleepless_call_barrier_sync = 32,
  sleepless_call_group_notify = 64,
  sleepless_call_apply = 128,
  sleepless_call_resume = 256,
  sleepless_call_activate = 512,
  sleepless_all_queue_calls = 1023,
} sleepless_queue_call;

/// What libdispatch keeps in a queue.
typedef struct {
  /// The queue on which it runs its work; null for a queue of the system's.
  void *target;
  bool is_serial;
  /// Whether it runs no work now, because it is suspended or was not activated.
  bool is_suspended;
} sleepless_queue_state;

/// Reads a queue; false if it is of a kind that simulations do not follow.
bool sleepless_read_queue(const void *queue, sleepless_queue_state *state);

/// Whether a queue, or one that it targets, runs no work now.
bool sleepless_is_suspended(const void *queue);

const void *sleepless_main_queue(void);
void *sleepless_main_queue_object(void);
const char *sleepless_queue_label(const void *queue);

/// Finds where libdispatch keeps the state of a queue; false if it is not found.
bool sleepless_find_queue_state(void);

void sleepless_retain_dispatch(void *object);
void sleepless_release_dispatch(void *object);
void *sleepless_copy_block(const void *block);
void sleepless_release_block(const void *block);
void sleepless_call_block(const void *block);

/// Runs a block on a queue, by this thread. Waits in real time if the queue is in use.
void sleepless_run_on_queue(void *queue, const void *block, bool is_barrier);
/// Gives a block to the real queue. `group` is one that it has entered and leaves when it has run, or null.
void sleepless_send_to_queue(void *queue, const void *block, bool is_barrier, void *group);
/// Lets the real group give a block to the real queue.
void sleepless_send_to_group(void *group, void *queue, const void *block);
/// Has the real queue call a function later, with the argument.
void sleepless_call_on_queue(void *queue, bool is_barrier, void *argument, void (*function)(void *argument));

bool sleepless_group_is_empty(void *group);
void sleepless_leave_group(void *group);

/// How a simulation performs work for which a thread waits.
typedef enum {
  /// Not at all: the real queue has to.
  sleepless_sync_is_real,
  /// This thread may run it on the queue now.
  sleepless_sync_is_here,
  /// Another thread has run it.
  sleepless_sync_is_done,
} sleepless_sync_place;

/// The functions that are called when code of a simulation uses queues. `owner` is the simulation's executor.
typedef struct {
  /// Takes a block for a queue; false if the real queue has to take it. `group` is one that the block has entered, or
  /// null.
  bool (*submits)(void *owner, void *queue, const void *block, bool is_barrier, void *group, int64_t nanoseconds);
  /// Blocks this thread until it may run a block on a queue, or until the block has run. Writes what `ends_sync` gets.
  sleepless_sync_place (*begins_sync)(void *owner, void *queue, const void *block, bool is_barrier, void **work);
  void (*ends_sync)(void *owner, void *work);
  /// Takes a block for a queue that is to run once a group is empty; false if the real group has to take it.
  bool (*notifies)(void *owner, void *group, void *queue, const void *block, bool is_barrier);
  /// A queue may have gone on, if it is one. Any thread may call it.
  void (*goes_on)(const void *object);
  /// The order in which the iterations of one call of `dispatch_apply` run, which the caller frees; null for their own.
  size_t *(*order_of_iterations)(void *owner, size_t count);
} sleepless_queue_hooks;

/// Begins to call the hooks; false if the calls cannot be replaced.
bool sleepless_install_queue_hooks(sleepless_queue_hooks hooks);

/// Calls the hooks no more.
void sleepless_uninstall_queue_hooks(void);

// Operations

/// The functions that are called when code of a simulation uses Foundation's operations.
typedef struct {
  /// The simulation's main operation queue, an object of Foundation, retained; null if it has none.
  void *(*main_operations)(void *owner);
  /// Notes a work item that Foundation has made, as it does for each operation that is added to a queue.
  void (*made_item)(void *owner, const void *item);
  /// Takes an operation that may run because one on which it depends has ended, until all such operations are known;
  /// false if the simulation does not take it.
  bool (*keeps)(void *owner, void *queue, const void *block, bool is_barrier);
  /// Gives the operations that were kept to their queues.
  void (*submits_kept)(void *owner);
} sleepless_operation_hooks;

/// Begins to call the hooks, and to take the blocks that operations give to queues in simulations; false if the functions
/// in which they do so were not sampled, or if the calls cannot be replaced.
bool sleepless_install_operation_hooks(sleepless_operation_hooks hooks);

/// Calls the hooks no more.
void sleepless_uninstall_operation_hooks(void);

/// Notes that simulations keep more or fewer operations.
void sleepless_count_kept_operations(int change);

// Timer sources

/// The calls that use timer sources. Each is one bit.
typedef enum {
  sleepless_call_create_timer = 1,
  sleepless_call_set_timer = 2,
  sleepless_call_set_event_handler = 4,
  sleepless_call_set_cancel_handler = 8,
  sleepless_call_cancel_timer = 16,
  sleepless_call_timer_data = 32,
  sleepless_call_suspend = 64,
  sleepless_call_release = 128,
  sleepless_all_timer_calls = 255,
} sleepless_timer_call;

/// What becomes of a source.
typedef enum {
  sleepless_timer_is_activated,
  sleepless_timer_is_suspended,
  sleepless_timer_is_resumed,
  sleepless_timer_is_cancelled,
  sleepless_timer_is_released,
} sleepless_timer_change;

/// The functions that are called for timer sources. Those that return a value say by it whether a simulation has the
/// source. Any thread may call them, also with objects that are no sources.
typedef struct {
  /// Code of a simulation has created a source for a queue. `owner` is the simulation's executor.
  void (*creates)(void *owner, void *source, void *queue);
  /// Sets a deadline of Dispatch's, and the interval in nanoseconds.
  bool (*sets_times)(void *source, uint64_t start, uint64_t interval);
  /// Sets the block for its events, or the one for its cancellation; null for none.
  bool (*sets_handler)(void *source, const void *block, bool is_for_cancellation);
  /// How many times the timer has fired for the event that is handled; -1 if no simulation has the source.
  int64_t (*data)(void *source);
  void (*changes)(void *object, sleepless_timer_change change);
} sleepless_timer_hooks;

/// Begins to call the hooks; false if the calls cannot be replaced.
bool sleepless_install_timer_hooks(sleepless_timer_hooks hooks);

/// Calls the hooks no more.
void sleepless_uninstall_timer_hooks(void);

/// Adds to the number of sources that simulations have. The hooks but `creates` are called while it is not zero.
void sleepless_count_timers(int change);

/// Sets the block that the real source runs when it is cancelled.
void sleepless_set_cancel_handler(void *source, const void *block);

/// How many nanoseconds of virtual time are left until a deadline of Dispatch's; -1 for ever.
int64_t sleepless_left_until(uint64_t deadline, const sleepless_context *executor_context);

/// By how many nanoseconds of virtual time a deadline of Dispatch's has passed. Zero if it has not, or if it was made
/// by real time.
int64_t sleepless_late_since(uint64_t deadline, const sleepless_context *executor_context);

// Queues that are suspended

/// Adds to the number of simulations in which work waits for a queue that is suspended. `goes_on` is called while it
/// is not zero.
void sleepless_count_suspended(int change);

/// The work for which this thread makes a task; null if there is none.
const void *sleepless_work_of_task(void);
void sleepless_set_work_of_task(const void *work);

// Foundation's dates

/// The ways in which code reads the date. Each is one bit.
typedef enum {
  sleepless_date_since_reference_call = 1,
  sleepless_date_init_call = 2,
  sleepless_date_init_since_now_call = 4,
  sleepless_date_since_now_call = 8,
  sleepless_date_now_call = 16,
  sleepless_all_date_calls = 31,
} sleepless_date_call;

/// Lets dates show the virtual time of simulations; false if the calls cannot be replaced.
bool sleepless_install_dates(void);

/// Lets them show real time again.
void sleepless_uninstall_dates(void);

// Condition variables

/// The calls about conditions. Each is one bit.
typedef enum {
  sleepless_condition_timed_wait_call = 1,
  sleepless_condition_signal_call = 2,
  sleepless_condition_broadcast_call = 4,
  sleepless_all_condition_calls = 7,
} sleepless_condition_call;

/// A mutex and its functions. `is_free` says whether a thread could lock it now.
typedef struct {
  void *address;
  void (*unlock)(void *address);
  void (*lock)(void *address);
  bool (*is_free)(void *address);
} sleepless_mutex;

/// The function that is called when code of a simulation waits for a condition.
typedef struct {
  /// Unlocks the mutex, blocks this thread until the condition is signalled, but not for longer than so many
  /// nanoseconds of virtual time, and locks it again; -1 stands for ever.
  sleepless_wait_result (*waits)(void *owner, void *condition, int64_t nanoseconds, sleepless_mutex mutex);
} sleepless_condition_hooks;

/// Begins to call the hook; false if the calls cannot be replaced or a condition's clock cannot be read.
bool sleepless_install_condition_hooks(sleepless_condition_hooks hooks);

/// Calls the hook no more.
void sleepless_uninstall_condition_hooks(void);

// Run loops and timers of Foundation

/// The calls about run loops and timers. Each is one bit.
typedef enum {
  sleepless_run_loop_create_timer_call = 1,
  sleepless_run_loop_add_timer_call = 2,
  sleepless_run_loop_invalidate_call = 4,
  sleepless_run_loop_get_date_call = 8,
  sleepless_run_loop_set_date_call = 16,
  sleepless_run_loop_get_current_call = 32,
  sleepless_run_loop_perform_call = 64,
  sleepless_run_loop_run_call = 128,
  sleepless_run_loop_run_until_call = 256,
  sleepless_run_loop_run_forever_call = 512,
  sleepless_run_loop_core_run_call = 1024,
  sleepless_run_loop_core_run_in_mode_call = 2048,
  sleepless_run_loop_stop_call = 4096,
  sleepless_all_run_loop_calls = 8191,
} sleepless_run_loop_call;

/// What ends a run of a run loop before its limit.
typedef enum {
  sleepless_runs_to_limit,
  sleepless_runs_until_stopped,
  /// A stop, or a source that it has handled.
  sleepless_runs_until_handled,
} sleepless_run_loop_purpose;

/// How a run of a run loop has ended. 1 to 4 are Core Foundation's numbers.
typedef enum {
  /// The real function has to run it.
  sleepless_run_loop_is_real = 0,
  /// Nothing is left that it could wait for.
  sleepless_run_loop_is_finished = 1,
  sleepless_run_loop_is_stopped = 2,
  sleepless_run_loop_has_timed_out = 3,
  sleepless_run_loop_has_handled_source = 4,
  /// There was nothing to run.
  sleepless_run_loop_is_empty = 5,
} sleepless_run_loop_result;

typedef void (*sleepless_timer_callback)(void *timer, void *info);

/// The functions that are called when code of a simulation uses run loops and timers. `owner` is the simulation's
/// executor. Times are nanoseconds of virtual time from now; -1 stands for never.
typedef struct {
  /// A timer was made. `interval` is zero if it fires once.
  void (*creates)(
      void *owner, void *timer, int64_t left, int64_t interval, sleepless_timer_callback callback, void *info);
  /// A timer is added to a run loop; returns whether it is a simulation's.
  bool (*adds)(void *timer, void *run_loop, bool is_main);
  void (*invalidates)(void *timer);
  /// When a simulation's timer fires next; false if it is none, or if it is not valid.
  bool (*has_date)(void *timer, int64_t *left);
  /// Sets when it fires next; false if it is no simulation's.
  bool (*sets_date)(void *timer, int64_t left);
  bool (*is_on_main_actor)(void *owner);
  /// A run loop is to run a block.
  bool (*performs)(void *owner, void *run_loop, bool is_main, const void *block);
  /// Runs the current run loop. `run_loop` is an object of Foundation's class, which may be another one; or null.
  sleepless_run_loop_result (*runs)(
      void *owner, void *run_loop, int64_t left, sleepless_run_loop_purpose purpose);
  /// Stops the innermost run of a run loop of Core Foundation. `owner` is null for code outside simulations. Returns
  /// whether the real function need not stop it.
  bool (*stops)(void *owner, void *run_loop, bool is_main);
} sleepless_run_loop_hooks;

/// Begins to call the hooks; false if the calls cannot be replaced.
bool sleepless_install_run_loop_hooks(sleepless_run_loop_hooks hooks);

/// Calls the hooks no more.
void sleepless_uninstall_run_loop_hooks(void);

/// Adds to the number of timers that simulations have.
void sleepless_count_run_loop_timers(int change);

void sleepless_call_timer(sleepless_timer_callback callback, void *timer, void *info);
void sleepless_retain_run_loop_timer(void *timer);
void sleepless_release_run_loop_timer(void *timer);
void sleepless_invalidate_timer(void *timer);

/// The run loop of the code that this thread runs: on the main actor of a simulation, the main one.
void *sleepless_current_run_loop(void);

/// Whether the real run loop of this thread has something to wait for: a source, a timer or a block.
bool sleepless_run_loop_has_sources(void);

// The clocks of Dispatch and of C

/// The ways in which code reads a clock. Each is one bit.
typedef enum {
  sleepless_clock_dispatch_now_call = 1,
  sleepless_clock_dispatch_wall_now_call = 2,
  sleepless_clock_dispatch_time_call = 4,
  sleepless_clock_dispatch_walltime_call = 8,
  sleepless_clock_gettime_call = 16,
  sleepless_clock_time_call = 32,
  sleepless_clock_gettimeofday_call = 64,
  sleepless_clock_uptime_call = 128,
  sleepless_clock_absolute_time_call = 256,
  sleepless_all_clock_calls = 511,
} sleepless_clock_call;

/// The nanoseconds that a clock of the system shows. In a simulation, too, they are the real ones.
int64_t sleepless_real_time(int clock);
/// The nanoseconds of the system's uptime.
int64_t sleepless_monotonic_time(void);

/// Lets the clocks that a program reads show the virtual time of simulations; false if the calls cannot be replaced.
bool sleepless_install_clocks(void);

/// Lets them show real time again.
void sleepless_uninstall_clocks(void);

/// Calls the functions of C that read clocks, each once, as a program would; false if one gives another time than the
/// others.
bool sleepless_read_each_clock(void);

// The end of objects

/// Keeps an object's memory, not the object.
void sleepless_hold_memory(const void *object);
void sleepless_release_memory(const void *object);

/// Whether an object's deinitialisation has begun; its memory must be held.
bool sleepless_is_deinitializing(void *object);

/// Whether the end of objects can be watched.
bool sleepless_can_watch(void);

/// Begins to watch the end of objects. Calls nest.
void sleepless_begin_watching(void);
void sleepless_end_watching(void);

/// Returns when objects of classes have been deallocated since it last returned, or when woken. For one
/// thread only.
void sleepless_wait_for_end(void);
void sleepless_wake(void);

/// Whether the deallocation of an object in `body` is noticed. Others count too while other threads run.
bool sleepless_tells_end(void (*body)(void));

/// Whether an object is static data of the program, which is never freed.
bool sleepless_is_immortal(void *object);

// The objects that code makes

/// A block of memory that the runtime has allocated, maybe for an object.
typedef struct {
  uintptr_t address, size;
  /// Its first words: an object's type and its counts of references.
  uintptr_t metadata, counts;
} sleepless_logged_block;

/// Begins to log what is allocated while a task-local variable of an optional reference has a value: the value is the
/// log. False if it cannot. Calls nest, with the same variable.
bool sleepless_begin_logging(const void *variable);

/// Ends logging, and forgets all logs.
void sleepless_end_logging(void);

/// Forgets what is logged for one log.
void sleepless_forget_log(const void *log);

/// Calls `body` with each block of a log that has not been freed.
void sleepless_each_logged(
    const void *log, void *context, void (*body)(void *context, const sleepless_logged_block *block));

/// Whether an object that `make` returns is logged, and no longer when it has been released. The variable's value is
/// the log.
bool sleepless_logs_object(const void *variable, const void *log, void *(*make)(void), void (*release)(void *object));

// The facts about the runtime that the library relies on

/// A fact about the runtime. `Facts.c` has its name and its statement.
typedef enum {
  // What simulations rely on, sampled when the process loads.
  sleepless_fact_of_simulations,
  sleepless_fact_stand_ins = sleepless_fact_of_simulations,
  sleepless_fact_executor_shape,
  sleepless_fact_job_kinds,
  sleepless_fact_job_shape,
  sleepless_fact_current_task,
  sleepless_fact_creation_flags,
  sleepless_fact_creation_records,
  sleepless_fact_child_tasks,
  sleepless_fact_task_context,
  sleepless_fact_task_status,
  sleepless_fact_task_endings,
  sleepless_fact_task_cancels,
  sleepless_fact_detached_locals,
  sleepless_fact_executor_ownership,
  sleepless_fact_actor_hops,
  sleepless_fact_sleeps,
  sleepless_fact_clocks,
  sleepless_fact_closure_shape,
  sleepless_fact_object_ends,
  sleepless_fact_object_births,
  sleepless_fact_runtime_executors,
  // Simulations rely on these too; they are sampled right after the process's executors are replaced.
  sleepless_fact_process_executors,
  sleepless_fact_actor_jobs,
  sleepless_fact_actor_executors,
  // What searches of memory rely on, sampled before the first search.
  sleepless_fact_of_searches,
  sleepless_fact_reference_counts = sleepless_fact_of_searches,
  sleepless_fact_value_layout,
  sleepless_fact_object_layout,
  sleepless_fact_enum_layout,
  sleepless_fact_closure_layout,
  sleepless_fact_collection_layout,
  sleepless_fact_block_layout,
  // What searches can do without, sampled with the facts above.
  sleepless_fact_of_better_searches,
  sleepless_fact_thread_values = sleepless_fact_of_better_searches,
  sleepless_fact_memory_snapshots,
  // What waits of the test framework in virtual time rely on, sampled before the first simulation.
  sleepless_fact_of_waits,
  sleepless_fact_waits = sleepless_fact_of_waits,
  /// The fact that blocking calls of simulations rely on.
  sleepless_fact_of_blocking,
  sleepless_fact_blocking_calls = sleepless_fact_of_blocking,
  sleepless_fact_dates,
  sleepless_fact_queues,
  /// The facts that conditions, operation queues, run loops and clocks of a program rely on.
  sleepless_fact_conditions,
  sleepless_fact_operations,
  sleepless_fact_run_loops,
  sleepless_fact_program_clocks,
  sleepless_fact_activity,
  sleepless_fact_count,
} sleepless_fact;

const char *sleepless_fact_name(sleepless_fact fact);

/// The statement that a fact makes about the runtime, as the end of a sentence.
const char *sleepless_fact_statement(sleepless_fact fact);

/// Notes the result of a sample; returns whether the fact holds. It does not hold if a sample of it has failed
/// before, or if the environment variable `SLEEPLESS_RUNTIME` has the word `without:` with its name.
bool sleepless_note_fact(sleepless_fact fact, bool holds);

/// Whether the fact was sampled and does not hold.
bool sleepless_fact_fails(sleepless_fact fact);

/// Prints a line to standard error. Works before the program's libraries are ready.
void sleepless_print_line(const char *line);

/// Prints a line to standard error for each fact from the first to before the last.
void sleepless_print_facts(sleepless_fact first, sleepless_fact last);

/// Whether `SLEEPLESS_RUNTIME` asks for the report of all facts.
bool sleepless_wants_report(void);

/// Whether `SLEEPLESS_RUNTIME` asks for the public executors alone, as with a compiler that is not verified.
bool sleepless_wants_public_runtime(void);

// What is under way in the process outside simulations.

/// Begins or ends a watch of the process. While there is one, reads of clocks and calls that look outside the process
/// are counted.
void sleepless_watch_activity(bool begins);

/// How many deadlines, sources, reads of clocks and looks outside there were.
uint64_t sleepless_activity_count(void);

/// Notes that a job outside simulations is given to the threads that run tasks, unless this thread acts outside.
void sleepless_note_job(void);
/// Changes when jobs are noted. It is no exact count.
uint64_t sleepless_job_count(void);

/// Whether work for a queue, a timer that fires once, a timer of a run loop or a sleeping task is due within so many
/// nanoseconds, or later within the second in which these end.
bool sleepless_is_anything_due(int64_t horizon);

/// Whether there is a timer that repeats, or a source for a descriptor, a signal or a process.
bool sleepless_is_any_source_active(void);

/// Whether a thread waits in Dispatch's pool, in a run loop or for a thread of this library. It may have been let go
/// on, and be about to run.
bool sleepless_is_idle(int thread);

/// Whether the process has children that nobody has waited for, or an alarm is set.
bool sleepless_has_children_or_alarm(void);

/// The number of the process, and of its first thread.
int sleepless_process_number(void);

/// Work that code of a simulation begins and that the simulation does not control.
typedef enum {
  /// A source of Dispatch for a descriptor, a signal or a process.
  sleepless_outside_source,
  /// A source of Dispatch for data that the program sends itself.
  sleepless_outside_data_source,
  /// A channel of Dispatch, or a read or a write without one.
  sleepless_outside_channel,
  /// A timer of a run loop.
  sleepless_outside_timer,
  /// A call of Foundation's network code.
  sleepless_outside_network,
  sleepless_outside_thread,
  sleepless_outside_process,
} sleepless_outside_kind;

/// Sets the function to call when code of a simulation begins such work, on the thread that begins it. `owner` is the
/// simulation's executor.
void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind));

/// The number of the context whose code has begun this thread; 0 if none has.
uint64_t sleepless_thread_begun_by(void);

/// Whether the dynamic linker finds this library's definitions of these functions first: some of them are checked.
bool sleepless_sees_activity(void);

// Sampling: what the stand-ins note while the probe runs. A stand-in is this library's definition of a function of
// the runtime or of libc. The dynamic linker finds it before the real function.

/// What the stand-ins have noted since `sleepless_begin_sampling`. It has no lock, because the probe runs before
/// other threads start.
typedef struct {
  /// The latest task that was created, and how many were.
  void *task;
  size_t creation_count;
  /// What its creation's arguments said.
  bool is_child, copies_locals, is_enqueued, is_async_let;
  /// The objects of the executors that it prefers and starts on, or null.
  const void *preference, *start;
  /// The start of its name.
  char name[16];
  /// Whether the task's memory holds the context that it was created with, and a status.
  bool has_context, has_status;
  /// Whether its first context returns to code of the runtime.
  bool ends_in_runtime;
  /// The latest task that ended, whether its function threw an error, and how many tasks ended.
  void *ended_task;
  bool ended_by_error;
  size_t end_count;
  /// The latest task that was cancelled by `cancel()`.
  void *cancelled_task;
  /// The hops: to which actor the latest was, null for none, and how many there were.
  const void *hop;
  size_t hop_count;
  /// How often each clock was read by code of the runtime.
  size_t continuous_reads, suspending_reads;
  /// Whether `sleepless_is_drain_job` was true of the latest job by which the runtime asked for an actor to be
  /// drained.
  bool drains;
  /// The calls of `sleepless_blocking_call` that were made, each as its bit.
  unsigned blocking_calls;
  /// The function that has begun the sampling, as far as unwind tables know it.
  const void *function;
  /// Whether another function than that was found to have called Dispatch's waits.
  bool has_wrong_caller;
  /// What the latest `Thread.sleep(forTimeInterval:)` and `Thread.sleep(until:)` were given, in seconds.
  double slept_seconds, slept_until;
  /// The calls of `sleepless_date_call` that were made, each as its bit.
  unsigned date_calls;
  /// Whether uses of run loops are sampled. The real run loop is not run, and gets nothing.
  bool samples_run_loops;
  /// The calls of `sleepless_run_loop_call` that were made, each as its bit.
  unsigned run_loop_calls;
  /// The calls of `sleepless_condition_call` that were made, each as its bit.
  unsigned condition_calls;
  /// Whether the calls of queues that operations make are sampled, and how many functions have made one.
  bool samples_operations;
  /// Whether the main operation queue was asked for.
  bool reads_main_operations;
  int operation_function_count;
  /// How many operations were given to their queues because one on which they depend had ended.
  int dependent_operation_count;
  /// How many work items Foundation made.
  int operation_item_count;
  /// The calls of `sleepless_clock_call` that were made, each as its bit.
  unsigned clock_calls;
  /// Whether the time is read by Foundation's uptime now, and the function that reads the clock for it.
  bool samples_uptime;
  const void *uptime_function;
  /// The calls of `sleepless_queue_call` that were made with the sample's queue or group, each as its bit.
  unsigned queue_calls;
  /// How many of them had a work item that is a barrier.
  int barrier_item_count;
  /// The calls of `sleepless_timer_call` that were made, each as its bit.
  unsigned timer_calls;
  /// Whether calls for queues are sampled. The first one, which must be that to `activate`, shows the queue, and the
  /// first one with a group shows the group.
  bool samples_queues;
  const void *queue, *group;
} sleepless_sample;

/// Begins to sample. The stand-ins then note their calls and call the real functions. A task that prefers no
/// executor and is no child task is created but not enqueued.
sleepless_sample *sleepless_begin_sampling(void);

/// Sets whether sampled detached tasks are created with their creator's task-local values.
void sleepless_add_locals_when_sampling(bool adds_locals);

/// Sets the executor that sampled tasks are created with if they prefer none; nothing ends that.
void sleepless_add_preference_when_sampling(sleepless_executor executor);

void sleepless_end_sampling(void);

/// Runs a task that was not enqueued because of sampling.
void sleepless_run_sampled_task(void *task, sleepless_executor executor);

/// Whether the dynamic linker finds this library's definitions of the functions about tasks and clocks first, and
/// then the real ones.
bool sleepless_stands_in(void);

/// Copies a job of the runtime that is no task, as the model of actor entries; returns whether it has the expected
/// shape.
bool sleepless_learn_job_shape(void);
