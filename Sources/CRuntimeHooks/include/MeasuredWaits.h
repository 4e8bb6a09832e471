// What a run with SLEEPLESS_WAITS notes: its waits in real time, and its tests. Another process reads that when this
// one has ended, in whatever way.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What code waits with.
typedef enum {
  sleepless_wait_none,
  sleepless_wait_task_sleep,
  sleepless_wait_thread_sleep,
  sleepless_wait_expectation,
  sleepless_wait_semaphore,
  sleepless_wait_group,
  sleepless_wait_condition,
  sleepless_wait_run_loop,
  sleepless_wait_delayed_call,
  sleepless_wait_timer,
  sleepless_wait_yield,
} sleepless_wait_kind;

enum { sleepless_wait_frames = 40 };

/// A wait, or several short ones at one place. Times are nanoseconds of the monotonic clock.
typedef struct {
  int64_t start;
  /// The end, without the time that the thread computed meanwhile; 0 while it is under way.
  int64_t end;
  /// When the wait ends at the latest; 0 if that is not known.
  int64_t deadline;
  /// The sum of the waits.
  int64_t waited;
  uint32_t count;
  /// A `sleepless_wait_kind`.
  uint32_t kind;
  /// The number of the test that waits; 0 if the code does not know.
  int32_t test;
  /// Whether something went on when it ended. Only delayed calls and timers have it: without it nothing waited for
  /// them.
  uint32_t was_awaited;
  uint32_t frame_count;
  uintptr_t frames[sleepless_wait_frames];
} sleepless_measured_wait;

/// What a run has noted.
typedef struct {
  const sleepless_measured_wait *waits;
  size_t wait_count;
  /// How many waits there was no room for.
  size_t lost_count;
  /// A line for each event: `I` with the address and the path of an image, `S` with the time, the number and the name
  /// of a test that starts, `E` with the time and the number of one that ends, `R` with those of one that has ended and
  /// runs again, `L` with the number, the line and the file of a test of Swift Testing, `P` with what identifies the
  /// run.
  const char *text;
  size_t text_size;
  /// When the process ended.
  int64_t end;
  /// Whether it ended by `exit` or at the end of `main`.
  bool has_exited;
  /// Whether the waits of tasks were measured.
  bool has_tasks;
} sleepless_wait_log;

#ifdef __linux__
// Within one image, so that a look at it costs one load.
__attribute__((visibility("hidden")))
#endif
/// What this process notes; null if it does not measure. Only its start writes it.
extern struct sleepless_wait_log_header *sleepless_log;

/// Whether this process measures its waits.
static inline bool sleepless_measures_waits(void) { return sleepless_log; }

/// Whether this process reports for another one that has ended. Writes what that one has noted and how it was asked
/// to: the value of `SLEEPLESS_WAITS`.
bool sleepless_reports_waits(sleepless_wait_log *log, const char **setting);

/// Ends the process that reports.
void sleepless_end_report(void) __attribute__((noreturn));

/// The address to which this process has loaded a file; 0 if it has not.
uintptr_t sleepless_address_of_image(const char *path);

/// Notes that the waits of tasks are measured.
void sleepless_measure_tasks(void);

/// Sets the function that returns the number of the test whose code calls; 0 if it does not know.
void sleepless_set_test_of_wait(int32_t (*test)(void));
/// Sets the number of the one test that runs in this process, for code that does not know its test.
void sleepless_set_running_test(int32_t number);
/// Adds a line to the text; see `sleepless_wait_log`.
void sleepless_note_line(const char *line);

/// What to call for the tests of Swift Testing.
typedef struct {
  /// Returns the number of the test whose code calls; 0 if it is of none.
  int32_t (*current)(void);
  void (*begins)(int32_t test);
  void (*ends)(int32_t test);
} sleepless_test_hooks;

/// Begins to call these functions, each on the thread that begins or ends the test.
void sleepless_watch_tests(sleepless_test_hooks hooks);
/// Whether the process's libraries call this library's definitions of the functions that bind task-local values.
bool sleepless_stands_in_for_task_locals(void);

/// The current task begins to wait: it sleeps, or its framework waits for it. `nanoseconds` is how long at most.
void sleepless_task_begins_wait(sleepless_wait_kind kind, int64_t nanoseconds);
/// A job is enqueued. Ends the wait of its task if it has one; notes a yield if it is the job by which a task yields.
void sleepless_job_is_enqueued(void *job);
