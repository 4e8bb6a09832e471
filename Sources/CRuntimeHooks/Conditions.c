// Condition variables, which Foundation's conditions and operations wait for too. Their waits are only measured: in
// simulations they take real time. The dynamic linker finds these definitions first.
//
// Only with the GNU C library: its functions have versions, of which the first is another one.

#include "StandIns.h"
#include "MeasuredWaits.h"

#if defined(SLEEPLESS_CAN_CAPTURE) && defined(__GLIBC__) && !__has_feature(thread_sanitizer)

#include <pthread.h>

#ifdef __x86_64__
#define VERSION "GLIBC_2.3.2"
#else
#define VERSION "GLIBC_2.17"
#endif

/// The current version of a function.
#define REAL_VERSION(type, name) REAL_AFTER(type, name, (type)dlvsym(RTLD_NEXT, name, VERSION))

typedef int (*wait_for_condition_function)(pthread_cond_t *condition, pthread_mutex_t *mutex);

STAND_IN int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  wait_for_condition_function real = REAL_VERSION(wait_for_condition_function, "pthread_cond_wait");
  return MEASURED(sleepless_wait_condition, false, real(condition, mutex));
}

typedef int (*wait_until_function)(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);

STAND_IN int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  wait_until_function real = REAL_VERSION(wait_until_function, "pthread_cond_timedwait");
  return MEASURED(sleepless_wait_condition, true, real(condition, mutex, until));
}

#endif
