// What is under way in this process outside simulations: deadlines and sources of Dispatch, and threads that wait for
// them. The dynamic linker finds these definitions first.
//
// A wait that sees nothing of it for a while need not last until its timeout. What these calls leave open counts as
// under way. Calls that are not listed here are not seen.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

/// How many waits watch the process. While there are none, looks are not counted.
static _Atomic(int) watch_count;
/// Deadlines and sources that were made, reads of clocks, and calls that look outside the process.
static _Atomic(uint64_t) event_count;

void sleepless_watch_activity(bool begins) {
  atomic_fetch_add(&watch_count, begins ? 1 : -1);
  // Some stand-ins do nothing while there is no context, so a watch counts as one.
  if (begins) {
    sleepless_add_context();
  } else {
    sleepless_subtract_context();
  }
}

uint64_t sleepless_activity_count(void) { return atomic_load(&event_count); }

static bool is_of_library(void) { return sleepless_thread_state.acts_outside; }

/// Threads that count at the same time may lose each other's jobs.
static _Atomic(uint64_t) job_count;

void sleepless_note_job(void) {
  if (is_of_library()) return;
  uint64_t count = atomic_load_explicit(&job_count, memory_order_relaxed);
  atomic_store_explicit(&job_count, count + 1, memory_order_relaxed);
}

uint64_t sleepless_job_count(void) { return atomic_load_explicit(&job_count, memory_order_relaxed); }

void sleepless_note_look(const void *caller) {
  if (!atomic_load_explicit(&watch_count, memory_order_relaxed) || is_of_library()) return;
  if (!sleepless_is_of_dispatch(caller)) atomic_fetch_add(&event_count, 1);
}

void sleepless_note_read(const void *caller) {
  // A run loop reads its descriptors and the time.
  if (!sleepless_is_of_run_loop(caller)) sleepless_note_look(caller);
}

// Deadlines

enum { slot_count = 1024 };
/// The latest deadline of each second that is near; when it is past, another second has the place.
static _Atomic(int64_t) slots[slot_count];
/// The earliest of the deadlines that were far when they were noted; zero if there was none.
static _Atomic(int64_t) earliest_far;

static void note_delay(int64_t delay) {
  if (delay < 0) delay = 0;
  if (delay > INT64_MAX / 2) return;
  int64_t due = sleepless_real_time(CLOCK_MONOTONIC) + delay;
  bool is_far = delay > (slot_count - 2) * second;
  _Atomic(int64_t) *place = is_far ? &earliest_far : &slots[due / second % slot_count];
  int64_t known = atomic_load(place);
  while (is_far ? !known || due < known : due > known) {
    if (atomic_compare_exchange_weak(place, &known, due)) break;
  }
}

/// The time from now until a deadline of Dispatch; -1 if it never comes.
static int64_t delay_until(uint64_t deadline) {
  // As in libdispatch's shims/time.h: the upper two bits tell the clock.
  if (deadline == ~0ull) return -1;
  if (deadline >> 62 == 3) return -(int64_t)deadline - sleepless_real_time(CLOCK_REALTIME);
  if (deadline >> 62 == 2) return (int64_t)(deadline & ~(1ull << 63)) - sleepless_real_time(CLOCK_BOOTTIME);
  return (int64_t)deadline - sleepless_real_time(CLOCK_MONOTONIC);
}

void sleepless_note_deadline(uint64_t deadline) {
  if (is_of_library()) return;
  atomic_fetch_add(&event_count, 1);
  int64_t delay = delay_until(deadline);
  if (deadline == ~0ull) return;
  // libdispatch may be late by a tenth, a millisecond at least and a minute at most.
  int64_t leeway = delay / 10 > 60 * second ? 60 * second : delay / 10 + 1000000;
  note_delay(delay + leeway);
}

bool sleepless_is_anything_due(int64_t horizon) {
  int64_t now = sleepless_real_time(CLOCK_MONOTONIC), far = atomic_load(&earliest_far);
  if (far && far <= now + horizon) return true;
  // The thread that fires the timer, or runs its block, may not have begun.
  int64_t start = now - second / 20;
  for (int64_t at = start / second; at <= (now + horizon) / second; at++) {
    // An earlier deadline of the same second may be the one that is due. An old one is of another second.
    int64_t due = atomic_load(&slots[at % slot_count]);
    if (due >= start && due / second <= at) return true;
  }
  return false;
}

typedef void (*after_function)(uint64_t deadline, void *queue, void *context, void (*work)(void *context));
extern __attribute__((weak)) void SANITIZERS(dispatch_after_f)(
    uint64_t deadline, void *queue, void *context, void (*work)(void *context));

// The runtime calls this for sleeps of tasks.
INTERPOSED void dispatch_after_f(uint64_t deadline, void *queue, void *context, void (*work)(void *context)) {
  sleepless_note_deadline(deadline);
  REAL_AFTER(after_function, "dispatch_after_f", SANITIZERS(dispatch_after_f))(deadline, queue, context, work);
}

typedef int (*set_time_function)(int timer, int flags, const struct itimerspec *time, struct itimerspec *old_time);

INTERPOSED int timerfd_settime(int timer, int flags, const struct itimerspec *time, struct itimerspec *old_time) {
  // A timer of a run loop. Dispatch's own descriptors stand for deadlines that are known.
  if (time && !sleepless_is_of_dispatch(CALLER) && (time->it_value.tv_sec || time->it_value.tv_nsec)) {
    int64_t value = time->it_value.tv_sec * second + time->it_value.tv_nsec;
    if (sleepless_is_of_run_loop(CALLER)) sleepless_note_outside(sleepless_outside_timer);
    note_delay(flags & TFD_TIMER_ABSTIME ? value - sleepless_real_time(CLOCK_MONOTONIC) : value);
    if (!is_of_library()) atomic_fetch_add(&event_count, 1);
  }
  return REAL(set_time_function, "timerfd_settime")(timer, flags, time, old_time);
}

// Sources

typedef struct {
  /// The source, hidden.
  uintptr_t source;
  bool brings_events;
} source_entry;

enum { source_limit = 1024 };
static source_entry sources[source_limit];
static _Atomic(int) source_count;
static int active_count;
/// Whether there were too many sources, or calls whose sources are not seen.
static _Atomic(bool) is_unknown;
// The table may be long, so a thread that waits for another one must not keep a processor.
static pthread_mutex_t source_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&source_lock); }
static void unlock(void) { pthread_mutex_unlock(&source_lock); }

static source_entry *find(const void *source) {
  for (int i = 0; i < source_count; i++) {
    if (sources[i].source == hidden(source)) return &sources[i];
  }
  return NULL;
}

static void set_source(const void *source, bool brings_events) {
  lock();
  source_entry *entry = find(source);
  if (!entry && source_count < source_limit) {
    entry = &sources[source_count++];
    *entry = (source_entry){hidden(source), false};
  }
  if (entry) {
    active_count += brings_events - entry->brings_events;
    entry->brings_events = brings_events;
  } else {
    atomic_store(&is_unknown, true);
  }
  unlock();
}

void sleepless_note_source(const void *source, bool brings_events) {
  if (is_of_library()) return;
  atomic_fetch_add(&event_count, 1);
  set_source(source, brings_events);
}

void sleepless_note_source_times(const void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  if (is_of_library()) return;
  atomic_fetch_add(&event_count, 1);
  bool repeats = interval < INT64_MAX && start != ~0ull;
  set_source(source, repeats);
  if (repeats || start == ~0ull) return;
  int64_t longest = 3600 * second;
  note_delay(delay_until(start) + (leeway > (uint64_t)longest ? longest : (int64_t)leeway));
}

void sleepless_note_source_end(const void *source) {
  if (!atomic_load(&source_count)) return;
  lock();
  source_entry *entry = find(source);
  if (entry) {
    active_count -= entry->brings_events;
    *entry = sources[--source_count];
  }
  unlock();
}

bool sleepless_is_any_source_active(void) {
  lock();
  bool is_active = active_count > 0;
  unlock();
  return is_active || atomic_load(&is_unknown);
}

// The sources of channels and the signals of POSIX timers are not counted.
#define UNCOUNTED(note, type, name, parameters, arguments)   \
  typedef type name##_call parameters;                       \
  INTERPOSED type name parameters {                          \
    atomic_store(&is_unknown, true);                         \
    note;                                                    \
    return REAL(name##_call *, #name) arguments;             \
  }
#define CHANNEL(type, name, parameters, arguments) \
  UNCOUNTED(sleepless_note_outside(sleepless_outside_channel), type, name, parameters, arguments)

CHANNEL(
    void *, dispatch_io_create, (uintptr_t kind, int file, void *queue, const void *handler),
    (kind, file, queue, handler))
CHANNEL(
    void *, dispatch_io_create_with_path,
    (uintptr_t kind, const char *path, int flags, unsigned mode, void *queue, const void *handler),
    (kind, path, flags, mode, queue, handler))
CHANNEL(
    void *, dispatch_io_create_with_io, (uintptr_t kind, void *channel, void *queue, const void *handler),
    (kind, channel, queue, handler))
CHANNEL(
    void, dispatch_read, (int file, size_t length, void *queue, const void *handler), (file, length, queue, handler))
CHANNEL(
    void, dispatch_write, (int file, void *data, void *queue, const void *handler), (file, data, queue, handler))

UNCOUNTED((void)0, int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *timer), (clock, event, timer))

// Threads that wait for work

enum { idle_limit = 1024 };
/// The threads that wait in calls of Dispatch and of run loops, by their numbers.
static _Atomic(int) idle_threads[idle_limit];

int sleepless_begin_idling(void) {
  int thread = sleepless_thread_number();
  for (int i = 0; i < idle_limit; i++) {
    int place = (thread + i) % idle_limit, none = 0;
    if (atomic_compare_exchange_strong(&idle_threads[place], &none, thread)) return place;
  }
  return -1;
}

void sleepless_end_idling(int place) {
  if (place >= 0) atomic_store(&idle_threads[place], 0);
}

bool sleepless_is_idle(int thread) {
  for (int i = 0; i < idle_limit; i++) {
    int found = atomic_load(&idle_threads[(thread + i) % idle_limit]);
    if (found == thread) return true;
  }
  return false;
}

/// A call in which a thread waits for work, if Dispatch or a run loop makes it.
#define IDLE_CALL(name, is_idle, parameters, arguments)                                            \
  typedef int name##_call parameters;                                                              \
  extern __attribute__((weak)) int SANITIZERS(name) parameters;                                    \
  INTERPOSED int name parameters {                                                                 \
    int place = sleepless_is_of_framework(CALLER) && (is_idle) ? sleepless_begin_idling() : -1;    \
    int result = REAL_AFTER(name##_call *, #name, SANITIZERS(name)) arguments;                     \
    sleepless_end_idling(place);                                                                   \
    return result;                                                                                 \
  }

IDLE_CALL(
    epoll_wait, true, (int set, struct epoll_event *events, int limit, int timeout), (set, events, limit, timeout))
IDLE_CALL(
    ppoll, true, (struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
    (files, count, timeout, mask))
IDLE_CALL(sigsuspend, true, (const sigset_t *mask), (mask))

// Calls that look outside the process

#define NOTED(note, type, name, parameters, arguments)                                \
  typedef type name##_call parameters;                                                \
  extern __attribute__((weak)) type SANITIZERS(name) parameters;                      \
  INTERPOSED type name parameters {                                                   \
    note(CALLER);                                                                     \
    return REAL_AFTER(name##_call *, #name, SANITIZERS(name)) arguments;              \
  }
#define LOOK(type, name, parameters, arguments) NOTED(sleepless_note_look, type, name, parameters, arguments)
#define READ(type, name, parameters, arguments) NOTED(sleepless_note_read, type, name, parameters, arguments)

typedef const char *text;
LOOK(int, open, (text path, int flags, unsigned mode), (path, flags, mode))
LOOK(int, open64, (text path, int flags, unsigned mode), (path, flags, mode))
LOOK(int, openat, (int folder, text path, int flags, unsigned mode), (folder, path, flags, mode))
LOOK(void *, opendir, (text path), (path))
LOOK(void *, fts_open, (void *paths, int options, void *compare), (paths, options, compare))
LOOK(int, stat, (text path, void *found), (path, found))
LOOK(int, lstat, (text path, void *found), (path, found))
LOOK(int, fstat, (int file, void *found), (file, found))
LOOK(int, fstatat, (int folder, text path, void *found, int flags), (folder, path, found, flags))
LOOK(int, access, (text path, int mode), (path, mode))
LOOK(int, faccessat, (int folder, text path, int mode, int flags), (folder, path, mode, flags))
LOOK(intptr_t, readlink, (text path, char *bytes, size_t size), (path, bytes, size))
READ(intptr_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
READ(intptr_t, readv, (int file, const void *parts, int count), (file, parts, count))
READ(int, poll, (struct pollfd *files, nfds_t count, int timeout), (files, count, timeout))
LOOK(intptr_t, pread, (int file, void *bytes, size_t size, intptr_t offset), (file, bytes, size, offset))
LOOK(int, connect, (int socket, const void *address, unsigned size), (socket, address, size))
LOOK(intptr_t, recv, (int socket, void *bytes, size_t size, int flags), (socket, bytes, size, flags))
LOOK(
    intptr_t, recvfrom, (int socket, void *bytes, size_t size, int flags, void *address, void *address_size),
    (socket, bytes, size, flags, address, address_size))
LOOK(intptr_t, recvmsg, (int socket, void *message, int flags), (socket, message, flags))
LOOK(FILE *, fopen, (text path, text mode), (path, mode))

// What the kernel tells

bool sleepless_has_children_or_alarm(void) {
  siginfo_t child;
  // No status is taken.
  if (!waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) || errno != ECHILD) return true;
  struct itimerval alarm;
  return getitimer(ITIMER_REAL, &alarm) || alarm.it_value.tv_sec || alarm.it_value.tv_usec;
}

int sleepless_process_number(void) { return getpid(); }

bool sleepless_sees_activity(void) {
  return is_first("dispatch_after_f", dispatch_after_f) && is_first("timerfd_settime", timerfd_settime) &&
         is_first("dispatch_io_create", dispatch_io_create) && is_first("dispatch_read", dispatch_read) &&
         is_first("epoll_wait", epoll_wait) &&
         is_first("open", open) && is_first("read", read) && is_first("stat", stat) && sleepless_find_frameworks();
}

#else

void sleepless_watch_activity(bool begins) {}
uint64_t sleepless_activity_count(void) { return 0; }
void sleepless_note_job(void) {}
uint64_t sleepless_job_count(void) { return 0; }
bool sleepless_is_anything_due(int64_t horizon) { return true; }
bool sleepless_is_any_source_active(void) { return true; }
int sleepless_begin_idling(void) { return -1; }
void sleepless_end_idling(int place) {}
bool sleepless_is_idle(int thread) { return false; }
bool sleepless_has_children_or_alarm(void) { return true; }
int sleepless_process_number(void) { return 0; }
bool sleepless_sees_activity(void) { return false; }

#endif
