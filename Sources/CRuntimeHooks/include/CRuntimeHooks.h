#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An executor as the runtime passes it on: the object and the table of its functions.
typedef struct __attribute__((swift_attr("@Sendable"))) {
  const void *identity;
  uintptr_t implementation;
} sleepless_executor;

/// What a capturing executor is to this side, see `sleepless_current_context`.
typedef struct {
  /// What tasks made by its code prefer, unless they were made to prefer another.
  sleepless_executor executor;
  /// The executor, for the functions below.
  void *owner;
  /// Whether tasks made by its code join it.
  bool captures;
  /// Whether the standard library's clocks show its time.
  bool has_clocks;
} sleepless_context;

/// What the capturing executors want to be told and asked.
typedef struct {
  /// A task was made that joins one, and is about to be enqueued; `starts_here` if there.
  /// `name` is what the caller named it or null, `code` the function that it runs, `context` what that
  /// has captured or null.
  void (*task_was_made)(
      void *owner, void *task, const char *name, const void *code, const void *context,
      bool starts_here);
  /// A detached task is to be made that joins one: calls `make` with `making`, once, as part of a task
  /// whose task-local values the new one is to get, and returns true; or does nothing.
  bool (*makes_detached)(void *owner, void (*make)(void *making), void *making);
  /// A task that was made so has come to its end; `owner` is whose it is, or null if unknown.
  void (*task_has_ended)(void *owner, void *task);
  /// A clock of the standard library is read; it would give that real time.
  void (*clock_is_read)(void *owner, int clock, int64_t *seconds, int64_t *nanoseconds);
  /// The world of a capturing executor.
  const sleepless_context *(*context_of)(const void *executor);
} sleepless_hooks;

/// Whether this process can capture tasks and clocks, as far as one knows before trying.
bool sleepless_can_capture(void);

/// Lets the runtime know which types of this program conform to which protocols, before the program's
/// own start does so.
void sleepless_register_conformances(void);

/// Begins to tell and ask. Call it once, before the first `sleepless_enter`.
void sleepless_install(sleepless_hooks hooks);

/// Begins to ask which world a task belongs to that is made by code of none, null meaning none. The
/// answer's executor is retained, so that it lives until the task holds it.
void sleepless_set_context_for_task(const sleepless_context *(*find)(void));

/// Says which world's jobs this thread runs from now on, null for none, and returns what it ran
/// before.
const sleepless_context *sleepless_enter(const sleepless_context *executor_context);

/// Runs a job of a world that this thread runs, on a serial executor if one is given.
void sleepless_run(const sleepless_context *executor_context, void *job, sleepless_executor serial);

/// The world whose jobs this thread runs, or null. What runs may belong to another one all the same,
/// or to none: an actor that several use serves all of them on the thread of one.
const sleepless_context *sleepless_driven(void);

/// The world that the running code belongs to, or null, if it captures what its code does.
///
/// A task belongs to the one that it prefers, wherever it runs; code that is no task belongs to that
/// of its thread.
const sleepless_context *sleepless_current_context(void);

/// Says that there is one more world. While there are none, nobody looks for them.
void sleepless_begin(const sleepless_context *executor_context);

/// Says that a simulation is over; tasks of it that still run are nobody's.
void sleepless_close(sleepless_context *executor_context);

/// Says that there is one less.
void sleepless_end(void);

/// Who enters an actor on behalf of a task of a world.
typedef struct {
  /// The runtime's job; it has no other owner than this.
  _Alignas(16) char job[64];
  const sleepless_context *executor_context;
  /// What is done in the actor, on whatever thread serves it; gets the world's owner. At its end the
  /// visitor may be sent on its next visit.
  void (*run)(void *owner);
} sleepless_actor_entry;

/// Has tasks of worlds with clocks come to actors under this table of functions, and others leave those
/// that a simulation's thread serves by `exit_executor`; false if it cannot.
bool sleepless_install_actor_hook(uintptr_t implementation, sleepless_executor exit_executor);

/// Has a visitor enter an actor. If nobody is there it is over when this returns; otherwise somebody
/// else's thread does it in time.
void sleepless_enter_actor(sleepless_actor_entry *entry, const void *actor);

/// Whether code of the program has left the actor that this thread visits, for none in particular.
bool sleepless_has_left_actor(void);

/// Takes a job that the runtime has enqueued if it is to serve the actor that this thread has a visitor
/// enter; it is run there.
bool sleepless_takes_drain_job(void *job);

/// Whether a job is to serve an actor: all that wait in the actor's own queue.
bool sleepless_is_drain_job(void *job);

/// Holds an object, unless it has begun to go; its memory must be held.
bool sleepless_try_retain(const void *object);

void sleepless_release(const void *object);

/// Has a task wait in an actor's own queue.
void sleepless_enqueue_in_actor(void *task, const void *actor);

/// Takes a job that the runtime has enqueued if it is the task that this thread is making; it is
/// enqueued again once it is known.
bool sleepless_takes_first_job(void *job);

/// The task that this thread runs, or null.
void *sleepless_current_task(void);

/// Whether a job is a task, rather than what an actor or the runtime has to do.
bool sleepless_is_task(void *job);

/// Cancels a task, which must be held unless it cannot end meanwhile.
void sleepless_cancel_task(void *task);

/// Whether a task that has not ended runs, or is enqueued to run, anywhere; false if unknown.
bool sleepless_can_run(void *task);

/// Takes the async functions that a suspended task will return through, innermost first, as
/// addresses of code; returns how many there are, at most `capacity`.
int sleepless_suspended_frames(void *task, const void **frames, int capacity);

/// Copies memory of this process to a place, or returns false where there is none to read.
typedef bool (*sleepless_reader)(uintptr_t address, void *bytes, size_t size);

/// The same of a task that may run, or end, meanwhile: what it gives then is of no use.
int sleepless_copied_frames(
    void *task, const void **frames, int capacity, sleepless_reader read);

/// The first object of a class that a closure on the heap has captured, itself or in a closure that it
/// wraps; null if there is none.
const void *sleepless_captured(
    const void *context, const void *class_metadata, sleepless_reader read);

/// Finds the file that an address of code was loaded from, and how far from the file's beginning in
/// memory it lies; `name` is that of the exported function there, or null.
bool sleepless_locate(
    const void *address, const char **file, uintptr_t *offset, const char **name);

/// Releases what others still hold of a closure's context, so that only the caller does; returns how
/// many holds that were. The context's memory is never freed.
size_t sleepless_drop_other_holds(void *context);

/// Brings a context back that has come to its end since, with the holds that others had of it, so
/// that they may let go of it, late as they are.
void sleepless_restore_holds(void *context, size_t holds);

/// Maps a new file of that size, filled with zeros, into memory; null if that cannot be.
void *sleepless_map_file(const char *path, size_t size);

void sleepless_unmap_file(void *memory, size_t size);

/// Has a crash of the process print what is there by then: a name, a newline, and a replay string up
/// to the first zero. Returns what stops it, or -1 if too many are watched.
int sleepless_watch_crashes(const void *text, size_t size);

void sleepless_unwatch_crashes(int slot);

// When objects go

/// Holds an object's memory, not the object.
void sleepless_hold_memory(const void *object);
void sleepless_release_memory(const void *object);
bool sleepless_is_going(void *object);

/// Whether the end of an object is told at all.
bool sleepless_can_watch(void);

/// Begins to tell of ends, as often as it was begun and not ended.
void sleepless_begin_watching(void);
void sleepless_end_watching(void);

/// Returns when objects of classes have come to their ends since it last returned, or when woken. For
/// one thread.
void sleepless_wait_for_end(void);
void sleepless_wake(void);

/// Whether the compiler has laid an object out in the program, which is never freed.
bool sleepless_is_immortal(void *object);

/// Calls `body` with each object of a class that is made, until it is null; false if it cannot.
bool sleepless_watch_allocations(void (*body)(void *object));
