// Notes the waits of this process in real time, if SLEEPLESS_WAITS asks for it. Without that a stand-in costs a
// comparison more.
//
// A wait is noted when it begins, so that the report has it if the process does not come back from it. Several short
// waits at one place become one record with a count: that is how a loop polls.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

struct sleepless_wait_log_header *sleepless_log;
static int32_t (*test_of_wait)(void);
static _Atomic(int32_t) running_test;

void sleepless_set_test_of_wait(int32_t (*test)(void)) {
  test_of_wait = test;
  // The code that reports calls this.
  if (sleepless_log) atomic_store(&sleepless_log->can_report, true);
}
void sleepless_set_running_test(int32_t number) { atomic_store(&running_test, number); }
void sleepless_measure_tasks(void) {
  if (sleepless_log) atomic_store(&sleepless_log->has_tasks, true);
}

static atomic_flag text_lock = ATOMIC_FLAG_INIT;

void sleepless_note_line(const char *line) {
  wait_log_header *log = sleepless_log;
  size_t length = strlen(line);
  if (!log) return;
  while (atomic_flag_test_and_set(&text_lock)) {
  }
  size_t size = atomic_load(&log->text_size);
  if (size + length + 1 <= log_text_size) {
    memcpy(log_text(log) + size, line, length);
    log_text(log)[size + length] = '\n';
    atomic_store(&log->text_size, size + length + 1);
  }
  atomic_flag_clear(&text_lock);
}

// Records

static sleepless_measured_wait *record(uint32_t number) { return &log_waits(sleepless_log)[number - 1]; }

/// A new record's number; 0 if there is no room.
static uint32_t take_record(void) {
  if (atomic_load(&sleepless_log->wait_count) < log_wait_count) {
    size_t index = atomic_fetch_add(&sleepless_log->wait_count, 1);
    if (index < log_wait_count) return (uint32_t)index + 1;
  }
  atomic_fetch_add(&sleepless_log->lost_count, 1);
  return 0;
}

enum { longest_gap = 5000000, longest_short_wait = 100000000, shortest_wait = 1000000 };

/// Whether a wait goes on with what an earlier one at its place has begun: a loop that polls.
static bool continues(const sleepless_measured_wait *earlier, const sleepless_measured_wait *wait) {
  return earlier->kind == wait->kind && earlier->test == wait->test && earlier->end &&
         wait->start - earlier->end < longest_gap && wait->end - wait->start < longest_short_wait &&
         earlier->waited / earlier->count < longest_short_wait && earlier->frame_count == wait->frame_count &&
         !memcmp(earlier->frames, wait->frames, wait->frame_count * sizeof *wait->frames);
}

/// Adds a wait that has ended to an earlier one, and frees its record.
static bool joins(uint32_t earlier_number, uint32_t number) {
  if (!earlier_number) return false;
  sleepless_measured_wait *earlier = record(earlier_number), *wait = record(number);
  if (!continues(earlier, wait)) return false;
  earlier->waited += wait->waited;
  earlier->count += wait->count;
  earlier->end = wait->end;
  wait->kind = sleepless_wait_none;
  return true;
}

// Waits of threads

static _Thread_local struct {
  /// The wait that the thread is in.
  uint32_t current;
  /// What the thread had computed when it began.
  int64_t computed;
  /// The latest one that has ended, and a record that is free.
  uint32_t latest, spare;
  /// The work of a queue that the thread runs.
  measured_work work;
  /// Whether the thread notes something now.
  bool is_noting;
} thread;

typedef struct {
  sleepless_measured_wait *wait;
  /// The frame on the stack that was added last.
  uintptr_t latest;
} stack_walk;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *argument) {
  stack_walk *walk = argument;
  if (walk->wait->frame_count == sleepless_wait_frames) return _URC_END_OF_STACK;
  // The address of the call, which may be the last instruction of its function.
  walk->wait->frames[walk->wait->frame_count++] = _Unwind_GetIP(frame) - 1;
  walk->latest = _Unwind_GetCFA(frame);
  return _URC_NO_REASON;
}

#ifdef __x86_64__

/// Adds the call of a function that has no frame pointer either, whose frame begins at `latest`: a small one.
static void add_call_without_frame(sleepless_measured_wait *wait, uintptr_t latest, uintptr_t limit) {
  enum { longest_frame = 64 };
  static _Thread_local code_range program;
  if (!program.end) program = sleepless_code_around((const void *)add_call_without_frame);
  for (uintptr_t word = latest; word < limit && word < latest + longest_frame; word += sizeof word) {
    const void *address = *(const void *const *)word;
    if (!sleepless_is_after_call(program, address)) continue;
    wait->frames[wait->frame_count++] = (uintptr_t)address - 1;
    return;
  }
}

#else
static void add_call_without_frame(sleepless_measured_wait *wait, uintptr_t latest, uintptr_t limit) {}
#endif

/// Adds the calls on this thread's stack. The unwinder stops at some functions of Dispatch's overlay for Swift, as
/// `wait(timeout:)` of semaphores. Behind those the chain of frame pointers goes on.
static void add_stack(sleepless_measured_wait *wait) {
  stack_walk walk = {wait, 0};
  _Unwind_Backtrace(add_frame, &walk);
  uintptr_t end = sleepless_stack_end();
  const uintptr_t *frame = __builtin_frame_address(0);
  while ((uintptr_t)frame <= walk.latest && frame[0] > (uintptr_t)frame && frame[0] % sizeof *frame == 0 &&
         frame[0] + 2 * sizeof *frame <= end) {
    frame = (const uintptr_t *)frame[0];
  }
  if ((uintptr_t)frame <= walk.latest) return;
  if (wait->frame_count < sleepless_wait_frames) add_call_without_frame(wait, walk.latest, (uintptr_t)frame);
  while (wait->frame_count < sleepless_wait_frames) {
    if (frame[1]) wait->frames[wait->frame_count++] = frame[1] - 1;
    uintptr_t next = frame[0];
    if (next <= (uintptr_t)frame || next % sizeof next || next + 2 * sizeof next > end) break;
    frame = (const uintptr_t *)next;
  }
}

static bool is_main_thread(void) { return getpid() == syscall(SYS_gettid); }

static int32_t test_of_caller(void) {
  int32_t test = thread.work.test;
  if (!test && test_of_wait && swift_task_getCurrent()) test = test_of_wait();
  return test ? test : atomic_load(&running_test);
}

/// Fills a record of the caller's, but for its place.
static void start(sleepless_measured_wait *wait, sleepless_wait_kind kind, int64_t nanoseconds) {
  *wait = (sleepless_measured_wait){.kind = kind, .count = 1, .test = test_of_caller()};
  wait->start = sleepless_monotonic_time();
  if (nanoseconds >= 0 && nanoseconds < INT64_MAX / 2) wait->deadline = wait->start + nanoseconds;
}

static uint32_t begin(sleepless_wait_kind kind, int64_t nanoseconds) {
  uint32_t number = thread.spare ? thread.spare : take_record();
  thread.spare = 0;
  if (!number) return 0;
  sleepless_measured_wait *wait = record(number);
  start(wait, kind, nanoseconds);
  add_stack(wait);
  return number;
}

/// Whether a wait that begins on this thread is measured.
static bool is_measured(bool has_deadline) {
  if (thread.current || thread.is_noting || sleepless_thread_state.acts_outside) return false;
  // Only the main thread and tasks run tests. Other threads also wait for their next work.
  return has_deadline || swift_task_getCurrent() || is_main_thread();
}

uint32_t sleepless_begin_measured(sleepless_wait_kind kind, bool has_deadline) {
  if (!is_measured(has_deadline)) return 0;
  int error = errno;
  thread.is_noting = true;
  thread.current = begin(kind, -1);
  thread.is_noting = false;
  thread.computed = sleepless_real_time(CLOCK_THREAD_CPUTIME_ID);
  errno = error;
  return thread.current;
}

void sleepless_end_measured(uint32_t number) {
  int error = errno;
  sleepless_measured_wait *wait = record(number);
  // A run loop's calls compute.
  int64_t end = sleepless_monotonic_time() - (sleepless_real_time(CLOCK_THREAD_CPUTIME_ID) - thread.computed);
  wait->end = end > wait->start ? end : wait->start;
  wait->waited = wait->end - wait->start;
  if (joins(thread.latest, number)) thread.spare = number;
  else thread.latest = number;
  thread.current = 0;
  errno = error;
}

int64_t sleepless_begin_unnoted(void) {
  if (!is_measured(false)) return 0;
  thread.current = UINT32_MAX;  // No record has this number.
  thread.computed = sleepless_real_time(CLOCK_THREAD_CPUTIME_ID);
  return sleepless_monotonic_time();
}

void sleepless_end_unnoted(sleepless_wait_kind kind, int64_t start) {
  int error = errno;
  thread.is_noting = true;
  uint32_t number = thread.current = begin(kind, -1);
  thread.is_noting = false;
  if (number) {
    record(number)->start = start;
    sleepless_end_measured(number);
  }
  errno = error;
}

// Work on queues

measured_work sleepless_note_delayed(sleepless_wait_kind kind, int64_t nanoseconds) {
  if (thread.is_noting || nanoseconds <= 0) return (measured_work){0};
  thread.is_noting = true;
  uint32_t number = begin(kind, nanoseconds);
  thread.is_noting = false;
  return (measured_work){number, number ? record(number)->test : 0};
}

uint32_t sleepless_repeat_delayed(uint32_t number) {
  uint32_t next = number ? take_record() : 0;
  if (!next) return 0;
  sleepless_measured_wait *wait = record(next);
  *wait = *record(number);
  wait->start = sleepless_monotonic_time();
  wait->end = wait->deadline = wait->waited = 0;
  wait->was_awaited = false;
  return next;
}

int32_t sleepless_known_test(void) {
  if (thread.work.test) return thread.work.test;
  if (thread.is_noting || !test_of_wait || !swift_task_getCurrent()) return 0;
  thread.is_noting = true;
  int32_t test = test_of_wait();
  thread.is_noting = false;
  return test;
}

measured_work sleepless_begin_work(measured_work work) {
  measured_work outer = thread.work;
  thread.work = work;
  if (work.delayed) {
    sleepless_measured_wait *wait = record(work.delayed);
    wait->end = sleepless_monotonic_time();
    wait->waited = wait->end - wait->start;
  }
  return outer;
}

void sleepless_end_work(measured_work outer) { thread.work = outer; }

void sleepless_note_goes_on(void) {
  if (thread.work.delayed) record(thread.work.delayed)->was_awaited = true;
}

// Waits of tasks
//
// A sleep of a task is over when the task is enqueued again: its time has come, or the task was cancelled.

extern SWIFT_CALL uint64_t swift_task_getJobTaskId(void *job);

enum { task_table_size = 1 << 12, latest_table_size = 1 << 10 };
typedef struct {
  /// The task, hidden; 0 if the place is free.
  uintptr_t task;
  /// The task's number. Another task may be at its address later.
  uint64_t task_number;
  uint32_t number;
} task_wait;
static task_wait waiting[task_table_size], latest_waits[latest_table_size];
static _Atomic(int) waiting_count;
/// The first of the free records; the `start` of each is the number of the next. `task_lock` guards them.
static uint32_t spare_record;
static atomic_flag task_lock = ATOMIC_FLAG_INIT;

static void lock_tasks(void) {
  while (atomic_flag_test_and_set_explicit(&task_lock, memory_order_acquire)) {
  }
}
static void unlock_tasks(void) { atomic_flag_clear_explicit(&task_lock, memory_order_release); }

static size_t hash(const void *task, size_t size) {
  return ((uintptr_t)task >> 4) * 0x9E3779B97F4A7C15 >> 40 & (size - 1);
}

/// The wait of a task; null if the task does not wait. The table is never full.
static task_wait *find_wait(const void *task) {
  for (size_t i = hash(task, task_table_size);; i = (i + 1) & (task_table_size - 1)) {
    if (waiting[i].task == hidden(task)) return &waiting[i];
    if (!waiting[i].task) return NULL;
  }
}

static bool add_wait(void *task, uint32_t number) {
  if (atomic_load(&waiting_count) >= task_table_size / 2) return false;
  size_t i = hash(task, task_table_size);
  while (waiting[i].task) i = (i + 1) & (task_table_size - 1);
  waiting[i] = (task_wait){hidden(task), swift_task_getJobTaskId(task), number};
  atomic_fetch_add(&waiting_count, 1);
  return true;
}

static void remove_wait(task_wait *entry) {
  size_t hole = (size_t)(entry - waiting), mask = task_table_size - 1;
  for (size_t i = (hole + 1) & mask; waiting[i].task; i = (i + 1) & mask) {
    // Moves back what would not be found behind the hole.
    size_t home = hash((const void *)~waiting[i].task, task_table_size);
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    waiting[hole] = waiting[i];
    hole = i;
  }
  waiting[hole] = (task_wait){0};
  atomic_fetch_sub(&waiting_count, 1);
}

/// Frees a record.
static void drop(uint32_t number) {
  record(number)->kind = sleepless_wait_none;
  record(number)->start = spare_record;
  spare_record = number;
}

/// Whether a wait is the latest one of a task. Another task may have been at its address.
static bool is_latest_of(const task_wait *latest, void *task) {
  return latest->task == hidden(task) && latest->task_number == swift_task_getJobTaskId(task);
}

static void end_task_wait(void *task, uint32_t number, int64_t now) {
  sleepless_measured_wait *wait = record(number);
  // One that ends before its time was cancelled, and is no wait. A loop of them does not poll.
  if (wait->kind == sleepless_wait_task_sleep && now + shortest_wait < wait->deadline) return drop(number);
  wait->end = now;
  wait->waited = now - wait->start;
  task_wait *latest = &latest_waits[hash(task, latest_table_size)];
  if (is_latest_of(latest, task) && joins(latest->number, number)) {
    drop(number);
  } else {
    *latest = (task_wait){hidden(task), swift_task_getJobTaskId(task), number};
  }
}

/// Begins a wait of the current task. The task has prepared its continuation, so its frames can be read.
static uint32_t begin_task_wait(void *task, sleepless_wait_kind kind, int64_t nanoseconds) {
  sleepless_measured_wait wait;
  start(&wait, kind, nanoseconds);
  wait.frame_count =
      (uint32_t)sleepless_suspended_frames(task, (const void **)wait.frames, sleepless_wait_frames);
  lock_tasks();
  uint32_t number = spare_record;
  if (number) spare_record = (uint32_t)record(number)->start;
  else number = take_record();
  if (number) *record(number) = wait;
  unlock_tasks();
  return number;
}

void sleepless_task_begins_wait(sleepless_wait_kind kind, int64_t nanoseconds) {
  void *task = sleepless_log && !thread.is_noting ? swift_task_getCurrent() : NULL;
  if (!task) return;
  thread.is_noting = true;
  uint32_t number = begin_task_wait(task, kind, nanoseconds);
  lock_tasks();
  if (number) {
    task_wait *earlier = find_wait(task);
    // It has gone on without being enqueued: the sleep was over, or was cancelled, before the task could wait.
    if (earlier) {
      drop(earlier->number);
      remove_wait(earlier);
    }
    if (!add_wait(task, number)) {
      drop(number);
      atomic_fetch_add(&sleepless_log->lost_count, 1);
    }
  }
  unlock_tasks();
  thread.is_noting = false;
}

static void note_yield(void *task) {
  uint32_t number = begin_task_wait(task, sleepless_wait_yield, -1);
  if (!number) return;
  lock_tasks();
  // The time between two yields of one loop is that of the loop.
  task_wait *latest = &latest_waits[hash(task, latest_table_size)];
  int64_t now = record(number)->start;
  if (is_latest_of(latest, task) && record(latest->number)->kind == sleepless_wait_yield) {
    sleepless_measured_wait *earlier = record(latest->number);
    int64_t gap = now - earlier->end;
    record(number)->end = now;
    if (continues(earlier, record(number))) earlier->waited += gap;
  }
  end_task_wait(task, number, now);
  unlock_tasks();
}

/// Whether a task that is enqueued was suspended in a sleep. If the sleep was over before the task could wait for it,
/// the task has gone on without being enqueued, and another wait has ended now.
static bool was_suspended_in(const sleepless_measured_wait *wait, void *task) {
  if (wait->kind != sleepless_wait_task_sleep) return true;
  const void *frames[sleepless_wait_frames];
  int count = sleepless_suspended_frames(task, frames, sleepless_wait_frames);
  return count == (int)wait->frame_count && !memcmp(frames, wait->frames, (size_t)count * sizeof *frames);
}

void sleepless_job_is_enqueued(void *job) {
  if (!sleepless_log || thread.is_noting) return;
  sleepless_note_goes_on();
  // `Task.yield` enqueues a job that resumes the task; see `JobKind` in the runtime's MetadataValues.h.
  enum { job_that_resumes_a_task = 195 };
  void *task = (swift_task_getJobFlags(job) & 0xff) == job_that_resumes_a_task ? swift_task_getCurrent() : NULL;
  if (task) {
    thread.is_noting = true;
    note_yield(task);
    thread.is_noting = false;
    return;
  }
  if (!atomic_load_explicit(&waiting_count, memory_order_relaxed)) return;
  lock_tasks();
  task_wait *entry = find_wait(job);
  if (entry) {
    uint32_t number = entry->number;
    bool is_same_task = entry->task_number == swift_task_getJobTaskId(job);
    remove_wait(entry);
    // Otherwise the task did not wait. It may also have ended, and this one has its address.
    if (is_same_task && was_suspended_in(record(number), job)) end_task_wait(job, number, sleepless_monotonic_time());
    else drop(number);
  }
  unlock_tasks();
}

#else

struct sleepless_wait_log_header *sleepless_log;
void sleepless_measure_tasks(void) {}
void sleepless_set_test_of_wait(int32_t (*test)(void)) {}
void sleepless_set_running_test(int32_t number) {}
void sleepless_note_line(const char *line) {}
void sleepless_task_begins_wait(sleepless_wait_kind kind, int64_t nanoseconds) {}
void sleepless_job_is_enqueued(void *job) {}

#endif
