// Which capturing executor the running code belongs to, if any.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT)
#include "Runtime.h"

_Thread_local sleepless_thread sleepless_thread_state;
_Atomic(int) sleepless_context_count;
static _Atomic(uintptr_t) implementation;  // the table of functions of capturing executors

sleepless_role sleepless_enter(const sleepless_context *executor_context) { return enter(executor_context); }

void sleepless_return_to(sleepless_role role) { sleepless_thread_state.role = role; }

const sleepless_context *sleepless_driven(void) { return sleepless_thread_state.role.executor_context; }

void sleepless_begin(sleepless_context *executor_context) {
  static _Atomic(uint64_t) count;
  executor_context->number = atomic_fetch_add(&count, 1) + 1;
  atomic_store(&implementation, executor_context->executor.implementation);
  sleepless_add_context();
}

void sleepless_close(sleepless_context *executor_context) {
  __atomic_store_n(&executor_context->captures, false, __ATOMIC_RELAXED);
}

void sleepless_end(void) { sleepless_subtract_context(); }

extern SINCE_EXECUTOR_PREFERENCES SWIFT_CALL void swift_job_run_on_serial_and_task_executor(
    void *job, const void *serial_identity, uintptr_t serial_implementation,
    const void *task_identity, uintptr_t task_implementation);

void sleepless_run(const sleepless_context *executor_context, void *job, sleepless_executor serial) {
  sleepless_executor preferred = executor_context->executor;
  void *outer = sleepless_thread_state.task, *outer_frame = sleepless_thread_state.job_frame;
  sleepless_thread_state.job_frame = __builtin_frame_address(0);
  sleepless_thread_state.task = sleepless_is_task(job) ? job : NULL;
  if (serial.identity) {
    swift_job_run_on_serial_and_task_executor(
        job, serial.identity, serial.implementation, preferred.identity, preferred.implementation);
  } else {
    swift_job_run_on_task_executor(job, preferred.identity, preferred.implementation);
  }
  sleepless_thread_state.task = outer;
  sleepless_thread_state.job_frame = outer_frame;
  // A wait of the job whose expectations were fulfilled before it began has run no run loop.
  if (sleepless_thread_state.has_wait) sleepless_end_wait();
}

extern SINCE_EXECUTOR_PREFERENCES SWIFT_CALL void swift_job_run(void *job, const void *identity, uintptr_t implementation);

void sleepless_run_anywhere(void *job) {
  void *outer = sleepless_thread_state.task, *outer_frame = sleepless_thread_state.job_frame;
  sleepless_thread_state.job_frame = __builtin_frame_address(0);
  sleepless_thread_state.task = sleepless_is_task(job) ? job : NULL;
  swift_job_run(job, NULL, 0);
  sleepless_thread_state.task = outer;
  sleepless_thread_state.job_frame = outer_frame;
}

#ifdef SLEEPLESS_CAN_CAPTURE

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

/// The number of this thread, which the kernel is asked for once: a thread of Dispatch's pool needs it at each wait for
/// work, and that call would take a fifth of the time of a short task. 0 before that.
static _Thread_local int thread_number;

static void forget_thread_number(void) { thread_number = 0; }
static void forget_in_forked_processes(void) { pthread_atfork(NULL, NULL, forget_thread_number); }

int sleepless_thread_number(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!thread_number) {
    pthread_once(&once, forget_in_forked_processes);
    thread_number = gettid();
  }
  return thread_number;
}

sleepless_hooks sleepless_asks;
static code_range runtime;

bool sleepless_is_of_runtime(uintptr_t address) { return is_in(runtime, (const void *)address); }

// Mostly the thread shows to which context the code belongs. But several simulations, and code outside
// them, may share an actor. The actor then runs the jobs of all of them in a row, on one thread. So the
// executor that the task prefers decides.

static const sleepless_context *capturing(const sleepless_context *executor_context) {
  return executor_context && sleepless_captures(executor_context) ? executor_context : NULL;
}

const sleepless_context *sleepless_current_context(void) {
  bool acts_outside = sleepless_thread_state.acts_outside;
  if (sleepless_thread_state.starting && !acts_outside) return sleepless_thread_state.starting;
  if (acts_outside || !atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return NULL;
  void *task = swift_task_getCurrent();
  const sleepless_context *driven = sleepless_thread_state.role.executor_context;
  bool is_driven = task == sleepless_thread_state.role.driver || task == sleepless_thread_state.task;
  if (!task || (driven && is_driven)) return capturing(driven);
  sleepless_executor preferred = swift_task_getPreferredTaskExecutor();
  if (!preferred.identity) return NULL;
  if (driven && preferred.identity == driven->executor.identity) return capturing(driven);
  bool is_ours = preferred.implementation == atomic_load(&implementation);
  if (!is_ours || !sleepless_asks.context_of) return NULL;
  return capturing(sleepless_asks.context_of(preferred.identity));
}

bool sleepless_runs_here(const sleepless_context *executor_context) {
  sleepless_role role = sleepless_thread_state.role;
  if (role.executor_context != executor_context) return false;
  void *task = swift_task_getCurrent();
  if (!task || task == role.driver || task == sleepless_thread_state.task) return true;
  return swift_task_getPreferredTaskExecutor().identity == executor_context->executor.identity;
}

// The linker's names for the section of this program's conformances.
extern const char __start_swift5_protocol_conformances, __stop_swift5_protocol_conformances;
extern void swift_registerProtocolConformances(const void *begin, const void *end);

void sleepless_register_conformances(void) {
  swift_registerProtocolConformances(
      &__start_swift5_protocol_conformances, &__stop_swift5_protocol_conformances);
}

void sleepless_install(sleepless_hooks new_hooks) { sleepless_asks = new_hooks; }

void sleepless_uninstall(void) {
  sleepless_asks = (sleepless_hooks){0};
  atomic_store(&sleepless_actor_hook, 0);
}

// Sampling

sleepless_sample *sleepless_sampling;
bool sleepless_sample_adds_locals;
sleepless_executor sleepless_sample_preference;

sleepless_sample *sleepless_begin_sampling(void) {
  static sleepless_sample sample;
  sample = (sleepless_sample){.function = sleepless_function_of(__builtin_return_address(0))};
  void *create = dlsym(RTLD_NEXT, "swift_task_create");
  if (create) runtime = sleepless_code_around(create);
  sleepless_find_frameworks();
  sleepless_sampling = &sample;
  // Some stand-ins do nothing while there is no context, so sampling counts as one.
  sleepless_add_context();
  return &sample;
}

void sleepless_add_locals_when_sampling(bool adds_locals) { sleepless_sample_adds_locals = adds_locals; }

void sleepless_add_preference_when_sampling(sleepless_executor executor) { sleepless_sample_preference = executor; }

void sleepless_end_sampling(void) {
  // A search for what holds an object reads this memory too. Another object may get an address that is left here.
  *sleepless_sampling = (sleepless_sample){0};
  sleepless_sampling = NULL;
  sleepless_subtract_context();
}

#else

int sleepless_thread_number(void) { return 0; }
const sleepless_context *sleepless_current_context(void) { return 0; }
bool sleepless_runs_here(const sleepless_context *executor_context) { return sleepless_driven() == executor_context; }
void sleepless_register_conformances(void) {}
void sleepless_install(sleepless_hooks hooks) { (void)hooks; }
void sleepless_uninstall(void) {}
sleepless_sample *sleepless_begin_sampling(void) {
  static sleepless_sample sample;
  return &sample;
}
void sleepless_add_locals_when_sampling(bool adds_locals) {}
void sleepless_add_preference_when_sampling(sleepless_executor executor) {}
void sleepless_end_sampling(void) {}

#endif
