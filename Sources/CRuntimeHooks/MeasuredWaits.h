// The waits of this process in real time, noted for the report: what the stand-ins call.

#pragma once

#include "Runtime.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <errno.h>

/// What this process and the one that reports for it have in common.
typedef struct sleepless_wait_log_header {
  _Atomic(size_t) wait_count, lost_count, text_size;
  _Atomic(bool) has_exited, has_tasks;
  /// Whether the program has the code that reports.
  _Atomic(bool) can_report;
} wait_log_header;

enum { log_text_size = 64 << 20, log_wait_count = 1 << 20, log_header_size = 4096 };
static const size_t log_size =
    log_header_size + log_text_size + log_wait_count * sizeof(sleepless_measured_wait);

static inline char *log_text(wait_log_header *log) { return (char *)log + log_header_size; }
static inline sleepless_measured_wait *log_waits(wait_log_header *log) {
  return (sleepless_measured_wait *)(log_text(log) + log_text_size);
}

/// Begins to measure a wait of this thread. Returns 0 if it is not measured: inside another one, and if it is a wait
/// without a deadline that is not the test's own, as that of a thread for its next work.
SHARED uint32_t sleepless_begin_measured(sleepless_wait_kind kind, bool has_deadline);
/// Ends it, and leaves `errno` as it is.
SHARED void sleepless_end_measured(uint32_t number);

/// Begins to measure a wait of a test framework, which is noted only when it has ended. Returns the time; 0 if it is
/// not measured. XCTest's wait for expectations must not be held up: it looks whether they are fulfilled, then runs the
/// run loop for a tenth of a second, and does not see what happens in between.
SHARED int64_t sleepless_begin_unnoted(void);
/// Ends and notes it, and leaves `errno` as it is.
SHARED void sleepless_end_unnoted(sleepless_wait_kind kind, int64_t start);

/// A call that waits, measured.
#define MEASURED(kind, has_deadline, call)                                            \
  ({                                                                                  \
    uint32_t number = sleepless_log ? sleepless_begin_measured(kind, has_deadline) : 0; \
    __typeof__(call) result = (call);                                                 \
    if (number) sleepless_end_measured(number);                                       \
    result;                                                                           \
  })

/// Work that runs later, or on another thread.
typedef struct {
  /// The number of its record; 0 if it is not delayed.
  uint32_t delayed;
  /// The number of the test that has given it to a queue; 0 if that is not known.
  int32_t test;
} measured_work;

/// Notes a call that is to happen later. Nothing is measured if the time has come.
SHARED measured_work sleepless_note_delayed(sleepless_wait_kind kind, int64_t nanoseconds);
/// Notes the same call once more, which repeats.
SHARED uint32_t sleepless_repeat_delayed(uint32_t number);
/// The number of the caller's test, if its code knows it; else 0.
SHARED int32_t sleepless_known_test(void);
/// Work begins on this thread. Returns what the thread did, to give to `sleepless_end_work`.
SHARED measured_work sleepless_begin_work(measured_work work);
SHARED void sleepless_end_work(measured_work outer);
/// This thread lets something go on that has waited. If it runs a delayed call, that was waited for.
SHARED void sleepless_note_goes_on(void);

#endif
