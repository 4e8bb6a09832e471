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
