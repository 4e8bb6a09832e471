// Work that code of a simulation begins and that the simulation does not control. The dynamic linker finds these
// definitions first. The places that take network calls, sources and timers of run loops note theirs.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void (*begins_outside)(void *owner, sleepless_outside_kind kind);

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) { begins_outside = begins; }

void sleepless_note_outside(sleepless_outside_kind kind) {
  if (sleepless_thread_state.acts_outside || !begins_outside) return;
  const sleepless_context *executor_context = sleepless_driven_here();
  if (executor_context) begins_outside(executor_context->owner, kind);
}

/// A call that begins such work if `begins` is true. Dispatch's threads serve all queues of the process.
#define BEGINS_IF(begins, kind, type, name, parameters, arguments)                                   \
  typedef type name##_call parameters;                                                               \
  extern __attribute__((weak)) type SANITIZERS(name) parameters;                                     \
  INTERPOSED type name parameters {                                                                  \
    bool is_of_code = atomic_load_explicit(&sleepless_context_count, memory_order_relaxed);          \
    if (is_of_code && (begins) && !sleepless_is_of_dispatch(CALLER)) sleepless_note_outside(kind);   \
    return REAL_AFTER(name##_call *, #name, SANITIZERS(name)) arguments;                             \
  }
#define BEGINS(kind, type, name, parameters, arguments) BEGINS_IF(true, kind, type, name, parameters, arguments)

BEGINS(
    sleepless_outside_thread, int, pthread_create,
    (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *argument), void *argument),
    (thread, attributes, start, argument))
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

typedef void (*signal_handler)(int number);
static bool is_of_program(signal_handler handler) { return handler != SIG_IGN && handler != SIG_DFL; }

BEGINS_IF(
    is_of_program(handler), sleepless_outside_signal, signal_handler, signal, (int number, signal_handler handler),
    (number, handler))
BEGINS_IF(
    action && is_of_program(action->sa_handler), sleepless_outside_signal, int, sigaction,
    (int number, const struct sigaction *action, struct sigaction *old), (number, action, old))
BEGINS_IF(seconds, sleepless_outside_signal, unsigned, alarm, (unsigned seconds), (seconds))
BEGINS_IF(
    time && (time->it_value.tv_sec || time->it_value.tv_usec), sleepless_outside_signal, int, setitimer,
    (__itimer_which_t clock, const struct itimerval *time, struct itimerval *old), (clock, time, old))

#else

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) {}

#endif
