#include "EarlyThreads.h"

#include <pthread.h>
#include <stdlib.h>

/// Makes tasks of all kinds; defined in `Starting`.
extern void enqueue_early(void);

static void *run(void *nothing) {
  enqueue_early();
  return nothing;
}

static void start(void) {
  for (int i = 0; i < early_threads / 2; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL)) abort();
    pthread_detach(thread);
  }
}

// The loader calls numbered constructors in order, and then those without a number, together with
// the constructors of the Swift modules.
__attribute__((constructor(101))) static void start_first(void) { start(); }
__attribute__((constructor)) static void start_among_others(void) { start(); }
