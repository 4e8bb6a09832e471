// What the definitions need that stand in front of functions of other libraries. Include it before all other headers.

#pragma once

#define _GNU_SOURCE  // dlsym(RTLD_NEXT), dl_iterate_phdr
#include "Runtime.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <dlfcn.h>

/// The function of that name that a definition of this library stands in front of.
#define REAL(type, name) REAL_AFTER(type, name, (type)NULL)

/// The same, but the thread sanitizer's definition of it if that is not null. So the sanitizer sees the call.
#define REAL_AFTER(type, name, sanitizers)                                          \
  ({                                                                                \
    static _Atomic(type) known;                                                     \
    type real = atomic_load_explicit(&known, memory_order_relaxed);                 \
    if (!real) {                                                                    \
      real = (sanitizers) ? (sanitizers) : (type)sleepless_next_definition(name);   \
      atomic_store_explicit(&known, real, memory_order_relaxed);                    \
    }                                                                               \
    real;                                                                           \
  })

#define CALLER __builtin_return_address(0)

// Weak as all stand-ins, but not with the thread sanitizer: that has weak definitions, which the linker must not
// prefer. Ours call the sanitizer's, so that it sees which thread waits for which.
#if __has_feature(thread_sanitizer)
#define INTERPOSED __attribute__((visibility("default")))
#else
#define INTERPOSED STAND_IN
#endif
#define SANITIZERS(name) ___interceptor_##name

extern void dispatch_retain(void *object);
extern void dispatch_release(void *object);
typedef intptr_t (*wait_function)(void *object, uint64_t deadline);

/// Whether the dynamic linker finds this definition of a function first, and another one after it.
static inline bool is_first(const char *name, const void *function) {
  return dlsym(RTLD_DEFAULT, name) == function && dlsym(RTLD_NEXT, name);
}

#endif
