// Work that code of a simulation begins and that the simulation does not control. The dynamic linker finds these
// definitions first. The places that take network calls, sources and timers of run loops note theirs.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void (*begins_outside)(void *owner, sleepless_outside_kind kind);

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) { begins_outside = begins; }

void sleepless_note_outside(sleepless_outside_kind kind) {
  if (sleepless_thread_state.acts_outside || !begins_outside) return;
  const sleepless_context *executor_context = sleepless_driven_here();
  if (executor_context) begins_outside(executor_context->owner, kind);
}

/// A call that begins such work. Dispatch's threads serve all queues of the process.
#define BEGINS(kind, type, name, parameters, arguments)                                     \
  typedef type name##_call parameters;                                                      \
  extern __attribute__((weak)) type SANITIZERS(name) parameters;                            \
  INTERPOSED type name parameters {                                                         \
    bool is_of_code = atomic_load_explicit(&sleepless_context_count, memory_order_relaxed); \
    if (is_of_code && !sleepless_is_of_dispatch(CALLER)) sleepless_note_outside(kind);      \
    return REAL_AFTER(name##_call *, #name, SANITIZERS(name)) arguments;                    \
  }

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

#else

void sleepless_set_outside_hook(void (*begins)(void *owner, sleepless_outside_kind kind)) {}

#endif
