// How tasks of simulations enter actors.
//
// Several simulations, and code outside them, may use one actor. The thread that leaves an actor runs the
// next job in the actor's own queue, so a simulation's tasks must not wait there. Each is sent to the actor
// under a table of functions of ours instead, as if the actor had an executor of its own. The runtime tells
// executors apart by the object alone, so the task's code still finds itself on the actor.
//
// With that table the task's job comes to its simulation, where it waits for its turn. Then a job of ours,
// which is no task, enters the actor's own queue (the entry), and the task runs inside that job.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT)
#include "Runtime.h"

// The runtime's kinds of job that drain an actor (Swift 6.3).
bool sleepless_is_drain_job(void *job) {
  size_t kind = swift_task_getJobFlags(job) & 0xff;
  return kind >= 192 && kind <= 194;
}

#ifdef SLEEPLESS_CAN_CAPTURE

#include <dlfcn.h>

typedef SWIFT_ASYNC_CALL void (*switch_function)(
    SWIFT_ASYNC_CONTEXT void *context, resume_function resume, const void *identity,
    uintptr_t implementation);

static _Atomic(switch_function) real_switch;
_Atomic(uintptr_t) sleepless_actor_hook;

extern SWIFT_CALL void swift_job_run(void *job, const void *identity, uintptr_t implementation);
extern SWIFT_CALL void *swift_task_createNullaryContinuationJob(size_t priority, void *continuation);
// Weak because no document promises it.
extern __attribute__((weak)) SWIFT_CALL bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uint64_t flags);

uintptr_t sleepless_known_as(
    const sleepless_context *executor_context, const void *identity, uintptr_t implementation) {
  bool is_actor = identity && !implementation;
  return is_actor && executor_context && executor_context->has_clocks ? atomic_load(&sleepless_actor_hook) : implementation;
}

__attribute__((noinline)) static switch_function find_switch(void) {
  switch_function real = (switch_function)dlsym(RTLD_NEXT, "swift_task_switch");
  atomic_store_explicit(&real_switch, real, memory_order_relaxed);
  return real;
}

/// The executor for a task outside simulations that leaves an actor on a simulation's thread. The runtime
/// would continue the task on that thread.
static sleepless_executor exit_executor;

static bool is_foreign_task(void) {
  return swift_task_getCurrent() != sleepless_thread_state.role.driver &&
         !swift_task_getPreferredTaskExecutor().identity;
}

/// Whether code of the program has left the actor that the entry on this thread runs in. Functions of the
/// runtime leave an actor and return to it without a call of `swift_task_switch`.
static _Thread_local bool has_left_actor;

bool sleepless_has_left_actor(void) { return has_left_actor; }

// Compiled code calls this when an `await` hops to an actor, or back.
STAND_IN SWIFT_ASYNC_CALL void swift_task_switch(
    SWIFT_ASYNC_CONTEXT void *context, resume_function resume, const void *identity,
    uintptr_t implementation) {
  switch_function real = atomic_load_explicit(&real_switch, memory_order_relaxed);
  if (!real) real = find_switch();
  if (!implementation && atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) {
    if (sleepless_sampling) {
      sleepless_sampling->hop = identity;
      sleepless_sampling->hop_count++;
    }
    if (identity) {
      implementation = sleepless_known_as(sleepless_current_context(), identity, 0);
    } else if (sleepless_thread_state.role.executor_context) {
      has_left_actor = true;
      if (is_foreign_task()) {
        identity = exit_executor.identity;
        implementation = exit_executor.implementation;
      }
    }
  }
  __attribute__((musttail)) return real(context, resume, identity, implementation);
}

typedef struct {
  void *metadata;
  size_t references;
  void *links[2];
  uint32_t flags;  // the lowest byte is the kind, the next the priority
  uint32_t number;
  void *reserved[2];
  SWIFT_ASYNC_CALL void (*run)(void *job);
} job_header;

_Static_assert(sizeof(job_header) == sizeof(((sleepless_actor_entry *)0)->job), "a job's size");

static job_header entry_template;
/// Where `sleepless_takes_kept_job` puts the next job that this thread enqueues; null while the thread keeps none.
/// `sleepless_enter_actor` keeps the job that drains the actor.
static _Thread_local void **kept_job;

SWIFT_ASYNC_CALL static void run_entry(void *job) {
  sleepless_actor_entry *entry = job;
  sleepless_role outer = enter(entry->executor_context);
  has_left_actor = false;
  entry->run(entry->argument);
  // The entry may be in its next actor by now, or freed, so nothing of it is read here.
  sleepless_thread_state.role = outer;
}

bool sleepless_learn_job_shape(void) {
  job_header *sample = swift_task_createNullaryContinuationJob(0x15, NULL);
  entry_template = *sample;
  bool fits = (sample->flags >> 8 & 0xff) == 0x15 && (sample->flags & 0xff) != 0 &&
              sleepless_is_of_runtime((uintptr_t)sample->run);
  entry_template.run = run_entry;
  return fits;
}

void sleepless_install_actor_hook(uintptr_t implementation, sleepless_executor new_exit_executor) {
  exit_executor = new_exit_executor;
  atomic_store(&sleepless_actor_hook, implementation);
}

bool sleepless_stands_in_for_hops(void) {
  return dlsym(RTLD_DEFAULT, "swift_task_switch") == (void *)swift_task_switch && find_switch();
}

void sleepless_enter_actor(sleepless_actor_entry *entry, const void *actor) {
  *(job_header *)entry->job = entry_template;
  void *job = NULL, **outer = sleepless_keep_next_job(&job);
  swift_task_enqueue(entry->job, actor, 0);
  sleepless_keep_next_job(outer);
  if (job && sleepless_sampling) sleepless_sampling->drains = sleepless_is_drain_job(job);
  // The actor had no jobs: the runtime asked for a thread to drain it, and this one does.
  if (job) swift_job_run(job, NULL, 0);
}

void **sleepless_keep_next_job(void **job) {
  void **outer = kept_job;
  kept_job = job;
  return outer;
}

bool sleepless_takes_kept_job(void *job) {
  if (!kept_job || *kept_job) return false;
  *kept_job = job;
  return true;
}

void sleepless_enqueue_in_actor(void *task, const void *actor) { swift_task_enqueue(task, actor, 0); }

// Without flags the function returns false where others, such as `preconditionIsolated`, trap.
bool sleepless_is_isolated(const void *actor) {
  return swift_task_isCurrentExecutorWithFlags && swift_task_isCurrentExecutorWithFlags(actor, 0, 0);
}

#else

void sleepless_install_actor_hook(uintptr_t implementation, sleepless_executor exit_executor) {}
bool sleepless_learn_job_shape(void) { return false; }
void sleepless_enter_actor(sleepless_actor_entry *entry, const void *actor) {}
void **sleepless_keep_next_job(void **job) { return NULL; }
bool sleepless_takes_kept_job(void *job) { return false; }
bool sleepless_has_left_actor(void) { return false; }
void sleepless_enqueue_in_actor(void *task, const void *actor) {}
bool sleepless_is_isolated(const void *actor) { return false; }

#endif
