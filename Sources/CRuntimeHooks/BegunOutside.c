// Work that code of a simulation begins and that the simulation does not control. The dynamic linker finds these
// definitions first. Queues.c notes network calls, Timers.c sources of Dispatch, and Activity.c calls of `DispatchIO`
// and timers of run loops.

#include "StandIns.h"

uint64_t sleepless_thread_begun_by(void) { return sleepless_thread_state.begun_by; }

#ifdef SLEEPLESS_CAN_CAPTURE

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void (*begins_outside)(void *owner, sleepless_outside_kind kind);

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) { begins_outside = begins; }

void sleepless_note_outside(sleepless_outside_kind kind) {
  if (sleepless_thread_state.acts_outside || !begins_outside) return;
  const sleepless_context *executor_context = sleepless_driven_here();
  if (executor_context) begins_outside(executor_context->owner, kind);
}

typedef void *(*thread_function)(void *argument);

/// What a new thread runs, and the number of the context whose code has begun it.
typedef struct {
  thread_function run;
  void *argument;
  uint64_t begun_by;
} begun_thread;

static void *run_begun(void *argument) {
  begun_thread thread = *(begun_thread *)argument;
  free(argument);
  sleepless_thread_state.begun_by = thread.begun_by;
  return thread.run(thread.argument);
}

typedef int pthread_create_call(
    pthread_t *thread, const pthread_attr_t *attributes, thread_function run, void *argument);
extern __attribute__((weak)) pthread_create_call SANITIZERS(pthread_create);

// Threads that Dispatch begins are not noted: they serve all queues of the process. Nor are the threads that a noted one
// begins: it may serve other tests later, as Foundation's thread for child processes does.
INTERPOSED int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, thread_function run, void *argument) {
  pthread_create_call *real = REAL_AFTER(pthread_create_call *, "pthread_create", SANITIZERS(pthread_create));
  bool is_of_code = atomic_load_explicit(&sleepless_context_count, memory_order_relaxed);
  if (!is_of_code || sleepless_is_of_dispatch(CALLER)) return real(thread, attributes, run, argument);
  sleepless_note_outside(sleepless_outside_thread);
  const sleepless_context *executor_context = sleepless_driven_here();
  begun_thread *begun = executor_context ? malloc(sizeof *begun) : NULL;
  if (!begun) return real(thread, attributes, run, argument);
  *begun = (begun_thread){run, argument, executor_context->number};
  int status = real(thread, attributes, run_begun, begun);
  if (status) free(begun);
  return status;
}

/// A function that begins work outside; its calls are noted.
#define BEGINS(kind, type, name, parameters, arguments)                                     \
  typedef type name##_call parameters;                                                      \
  extern __attribute__((weak)) type SANITIZERS(name) parameters;                            \
  INTERPOSED type name parameters {                                                         \
    bool is_of_code = atomic_load_explicit(&sleepless_context_count, memory_order_relaxed); \
    if (is_of_code && !sleepless_is_of_dispatch(CALLER)) sleepless_note_outside(kind);      \
    return REAL_AFTER(name##_call *, #name, SANITIZERS(name)) arguments;                    \
  }

BEGINS(
    sleepless_outside_process, int, posix_spawn,
    (pid_t *process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
     char *const arguments[], char *const environment[]),
    (process, path, actions, attributes, arguments, environment))
BEGINS(
    sleepless_outside_process, int, posix_spawnp,
    (pid_t *process, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
     char *const arguments[], char *const environment[]),
    (process, file, actions, attributes, arguments, environment))
BEGINS(sleepless_outside_process, pid_t, fork, (void), ())
BEGINS(sleepless_outside_process, FILE *, popen, (const char *command, const char *mode), (command, mode))
BEGINS(sleepless_outside_process, int, system, (const char *command), (command))

// Signal handlers and timers of the operating system. A signal handler may call these functions itself, even while the
// process crashes. So noting a call allocates nothing, and takes no lock except for another task in a shared actor; and
// a constructor looks up the real function when the process loads.

static void note_signal_call(uintptr_t *places, const void *caller) {
  for (int i = 0; i < sleepless_signal_place_limit; i++) {
    uintptr_t none = 0;
    uintptr_t place = (uintptr_t)caller;
    if (__atomic_compare_exchange_n(&places[i], &none, place, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    if (none == place) return;
  }
}

/// The context of the simulation that the running code belongs to; null if there is none. Only for another task, as in a
/// shared actor, a lock of the runtime is taken.
static sleepless_context *noting_signals(void) {
  const sleepless_context *driven = sleepless_thread_state.role.executor_context;
  if (!driven || sleepless_thread_state.acts_outside) return NULL;
  void *task = swift_task_getCurrent();
  bool is_known = !task || task == sleepless_thread_state.role.driver || task == sleepless_thread_state.task;
  return is_known || sleepless_driven_here() == driven ? (sleepless_context *)driven : NULL;
}

/// A function that installs a signal handler or starts a timer if `condition` holds. `places` is the field of the
/// context that notes the caller.
#define BEGINS_SIGNALS(places, condition, type, name, parameters, arguments)                                          \
  typedef type name##_call parameters;                                                                                \
  extern __attribute__((weak)) type SANITIZERS(name) parameters;                                                      \
  static name##_call *real_##name(void) { return REAL_AFTER(name##_call *, #name, SANITIZERS(name)); }                \
  __attribute__((constructor)) static void look_up_##name(void) { (void)real_##name(); }                              \
  INTERPOSED type name parameters {                                                                                   \
    sleepless_context *executor_context = sleepless_is_of_system(CALLER) ? NULL : noting_signals();                   \
    if (executor_context && (condition)) note_signal_call(executor_context->places, CALLER);                          \
    if (!SANITIZERS(name)) return real_##name() arguments;                                                            \
    /* ThreadSanitizer's `signal` calls `sigaction`. */                                                               \
    bool acts_outside = sleepless_act_outside(true);                                                                  \
    type result = real_##name() arguments;                                                                            \
    sleepless_act_outside(acts_outside);                                                                              \
    return result;                                                                                                    \
  }

typedef void (*signal_handler)(int);

/// A signal that is ignored, or has the system's own handler again, runs no code.
static bool runs_code(signal_handler handler) { return handler != SIG_DFL && handler != SIG_IGN; }

BEGINS_SIGNALS(
    signal_handlers, runs_code(handler), signal_handler, signal, (int number, signal_handler handler),
    (number, handler))
BEGINS_SIGNALS(
    signal_handlers, action && runs_code(action->sa_handler), int, sigaction,
    (int number, const struct sigaction *action, struct sigaction *previous), (number, action, previous))

#ifdef __GLIBC__
typedef __itimer_which_t interval_timer;
#else
typedef int interval_timer;
#endif

// A time of zero stops a timer.
BEGINS_SIGNALS(system_timers, seconds, unsigned, alarm, (unsigned seconds), (seconds))
BEGINS_SIGNALS(
    system_timers, time && (time->it_value.tv_sec || time->it_value.tv_usec), int, setitimer,
    (interval_timer timer, const struct itimerval *time, struct itimerval *previous), (timer, time, previous))
BEGINS_SIGNALS(
    system_timers, time && (time->it_value.tv_sec || time->it_value.tv_nsec), int, timer_settime,
    (timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *previous),
    (timer, flags, time, previous))

#else

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) {}

#endif
