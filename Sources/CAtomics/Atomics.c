#include "CAtomics.h"

unsigned long sleepless_load(const unsigned long *number) {
  return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

void sleepless_store(unsigned long *number, unsigned long value) {
  __atomic_store_n(number, value, __ATOMIC_RELEASE);
}

_Bool sleepless_replace(unsigned long *number, unsigned long old, unsigned long value) {
  return __atomic_compare_exchange_n(number, &old, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

#ifndef __APPLE__

#include <stdlib.h>

pthread_mutex_t *sleepless_make_mutex(void) {
  pthread_mutex_t *mutex = malloc(sizeof *mutex);
  if (mutex) pthread_mutex_init(mutex, NULL);
  return mutex;
}

void sleepless_free_mutex(pthread_mutex_t *mutex) {
  pthread_mutex_destroy(mutex);
  free(mutex);
}

#endif
