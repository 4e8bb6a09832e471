// Condition variables of the program and of Foundation, which uses them for `NSCondition`, for the waits of operations
// and of operation queues. The dynamic linker finds these definitions first.
//
// In a simulation the thread is blocked until the condition is signalled, or until the deadline in virtual time.
// Meanwhile the mutex is unlocked, and other tasks run.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <errno.h>
#include <pthread.h>
#include <time.h>

static sleepless_condition_hooks hooks;

static void note(sleepless_condition_call call) {
  if (sleepless_sampling) sleepless_sampling->condition_calls |= call;
}

/// The context of the simulation whose job this thread runs, if its wait for a condition takes virtual time; else null.
static const sleepless_context *waiting_here(const void *caller) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed) || !hooks.waits) return NULL;
  const sleepless_context *executor_context = sleepless_driven_here();
  if (!executor_context) return NULL;
  bool is_followed = sleepless_is_of_foundation(caller) || !sleepless_is_of_system(caller);
  return is_followed ? executor_context : NULL;
}

#define REAL_OF_CONDITION(type, name) REAL_AFTER(type, #name, SANITIZERS(name))

static void unlock(void *mutex) { pthread_mutex_unlock(mutex); }
static void lock(void *mutex) { pthread_mutex_lock(mutex); }

static bool is_free(void *mutex) {
  bool is_free = !pthread_mutex_trylock(mutex);
  if (is_free) pthread_mutex_unlock(mutex);
  return is_free;
}

static sleepless_wait_result wait(
    const sleepless_context *executor_context, pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t left) {
  return hooks.waits(executor_context->owner, condition, left, (sleepless_mutex){mutex, unlock, lock, is_free});
}

typedef int (*wait_for_condition)(pthread_cond_t *condition, pthread_mutex_t *mutex);
extern __attribute__((weak)) int SANITIZERS(pthread_cond_wait)(pthread_cond_t *condition, pthread_mutex_t *mutex);

INTERPOSED int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  const sleepless_context *executor_context = waiting_here(CALLER);
  if (executor_context && wait(executor_context, condition, mutex, -1) != sleepless_wait_is_real) return 0;
  // Swift Testing has a thread that waits for child processes, if there are any.
  int place = sleepless_is_of_testing(CALLER) ? sleepless_begin_idling() : -1;
  wait_for_condition real = REAL_OF_CONDITION(wait_for_condition, pthread_cond_wait);
  int status = MEASURED(sleepless_wait_condition, false, real(condition, mutex));
  sleepless_end_idling(place);
  return status;
}

/// The clock that a condition measures its dates against. The GNU C library keeps it in the second bit of a word
/// (nptl/pthread_cond_common.c).
static clockid_t clock_of(const pthread_cond_t *condition) {
#ifdef __GLIBC__
  if (condition->__data.__wrefs & 2) return CLOCK_MONOTONIC;
#endif
  return CLOCK_REALTIME;
}

/// Whether `clock_of` is right for a new condition of each of the two clocks.
static bool shows_clock(void) {
  bool shows = true;
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    pthread_condattr_t attributes;
    pthread_cond_t condition;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, clocks[i]);
    pthread_cond_init(&condition, &attributes);
    shows = shows && clock_of(&condition) == clocks[i];
    pthread_cond_destroy(&condition);
    pthread_condattr_destroy(&attributes);
  }
  return shows;
}

/// The nanoseconds from `now` to a date of the same clock, rounded to microseconds, because Foundation's dates are
/// exact to a tenth of one. 0 if the date has passed, at least 1000 if it has not, and -1 (no limit) if it is more than
/// 4·10⁹ s away.
static int64_t left_until(const struct timespec *date, int64_t now) {
  if (date->tv_sec > now / 1000000000 + 4000000000) return -1;
  int64_t left = (int64_t)date->tv_sec * 1000000000 + date->tv_nsec - now;
  int64_t rounded = (left + 500) / 1000 * 1000;
  return left <= 0 ? 0 : rounded ? rounded : 1000;
}

/// Converts a virtual date of a clock to the real date that is as far from the real present as the virtual date is from
/// the virtual present.
static struct timespec real_date(
    const sleepless_context *executor_context, const struct timespec *date, clockid_t clock) {
  int64_t difference = sleepless_virtual_time(executor_context, clock) - sleepless_real_time(clock);
  int64_t nanoseconds = date->tv_nsec - difference % 1000000000;
  int64_t carry = nanoseconds < 0 ? -1 : nanoseconds >= 1000000000 ? 1 : 0;
  return (struct timespec){date->tv_sec - difference / 1000000000 + carry, nanoseconds - carry * 1000000000};
}

typedef int (*wait_until)(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *date);
extern __attribute__((weak)) int SANITIZERS(pthread_cond_timedwait)(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *date);

INTERPOSED int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *date) {
  note(sleepless_condition_timed_wait_call);
  const sleepless_context *executor_context = waiting_here(CALLER);
  struct timespec real;
  if (executor_context) {
    clockid_t clock = clock_of(condition);
    int64_t left = left_until(date, sleepless_virtual_time(executor_context, clock));
    if (!left) return ETIMEDOUT;
    switch (wait(executor_context, condition, mutex, left)) {
      case sleepless_wait_ended: return 0;
      case sleepless_wait_timed_out: return ETIMEDOUT;
      default: break;
    }
    real = real_date(executor_context, date, clock);
    date = &real;
  }
  wait_until real_wait = REAL_OF_CONDITION(wait_until, pthread_cond_timedwait);
  return MEASURED(sleepless_wait_condition, true, real_wait(condition, mutex, date));
}

typedef int (*condition_function)(pthread_cond_t *condition);
extern __attribute__((weak)) int SANITIZERS(pthread_cond_signal)(pthread_cond_t *condition);
extern __attribute__((weak)) int SANITIZERS(pthread_cond_broadcast)(pthread_cond_t *condition);

INTERPOSED int pthread_cond_signal(pthread_cond_t *condition) {
  note(sleepless_condition_signal_call);
  int status = REAL_OF_CONDITION(condition_function, pthread_cond_signal)(condition);
  sleepless_let_go_on(condition, sleepless_change_signal);
  return status;
}

INTERPOSED int pthread_cond_broadcast(pthread_cond_t *condition) {
  note(sleepless_condition_broadcast_call);
  sleepless_note_broadcast();
  int status = REAL_OF_CONDITION(condition_function, pthread_cond_broadcast)(condition);
  sleepless_let_go_on(condition, sleepless_change_empty);
  return status;
}

typedef int (*lock_until)(pthread_mutex_t *mutex, const struct timespec *date);
extern __attribute__((weak)) int SANITIZERS(pthread_mutex_timedlock)(
    pthread_mutex_t *mutex, const struct timespec *date);

// A mutex is not followed. But the program has made its date by the simulation's clock.
INTERPOSED int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *date) {
  const sleepless_context *executor_context = waiting_here(CALLER);
  struct timespec real;
  if (executor_context) {
    real = real_date(executor_context, date, CLOCK_REALTIME);
    date = &real;
  }
  return REAL_AFTER(lock_until, "pthread_mutex_timedlock", SANITIZERS(pthread_mutex_timedlock))(mutex, date);
}

bool sleepless_install_condition_hooks(sleepless_condition_hooks new_hooks) {
  bool stands_in = is_first("pthread_cond_wait", pthread_cond_wait) &&
                   is_first("pthread_cond_timedwait", pthread_cond_timedwait) &&
                   is_first("pthread_cond_signal", pthread_cond_signal) &&
                   is_first("pthread_cond_broadcast", pthread_cond_broadcast) &&
                   is_first("pthread_mutex_timedlock", pthread_mutex_timedlock);
  if (!stands_in || !shows_clock() || !sleepless_find_frameworks()) return false;
  hooks = new_hooks;
  return true;
}

void sleepless_uninstall_condition_hooks(void) { hooks = (sleepless_condition_hooks){0}; }

#else

bool sleepless_install_condition_hooks(sleepless_condition_hooks new_hooks) { return false; }
void sleepless_uninstall_condition_hooks(void) {}

#endif
