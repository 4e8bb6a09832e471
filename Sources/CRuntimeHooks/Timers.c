// Timer sources of Dispatch. The dynamic linker finds these definitions first.
//
// A timer source that code of a simulation creates is a real source without times and handlers. The simulation keeps
// those, and gives the handlers to the source's queue as blocks. Calls that suspend, let go on or cancel reach both.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <string.h>

static sleepless_timer_hooks hooks;
/// How many timer sources simulations have. While there are none, all calls go to the real functions at once.
static _Atomic(int) timer_count;

void sleepless_count_timers(int change) { atomic_fetch_add(&timer_count, change); }

#define IS_ANY_TIMER (atomic_load_explicit(&timer_count, memory_order_relaxed))
#define IS_ANY_CONTEXT (atomic_load_explicit(&sleepless_context_count, memory_order_relaxed))

/// Notes a call that is a sample.
static void note(sleepless_timer_call call) {
  if (sleepless_sampling && sleepless_sampling->samples_queues) sleepless_sampling->timer_calls |= call;
}

// Timers that are measured
//
// Outside simulations, with SLEEPLESS_WAITS, the handler of a timer source is a copy of the program's block that notes
// when it runs. A block around that block would be longer to follow: a failed memory check would not name the path that
// leads through it, as it does without SLEEPLESS_WAITS.

enum { measured_timer_count = 256, handler_kind_count = 64 };
static struct {
  /// The source, hidden; 0 if the place is free.
  uintptr_t source;
  /// Counts the timers, from 1 on.
  int number;
  /// The work that its handler is to do next.
  measured_work next;
} measured_timers[measured_timer_count];
static atomic_flag timer_lock = ATOMIC_FLAG_INIT;

static void lock_timers(void) {
  while (atomic_flag_test_and_set(&timer_lock)) {
  }
}
static void unlock_timers(void) { atomic_flag_clear(&timer_lock); }

/// The number of a timer; 0 if it is not measured.
static int number_of(void *source) {
  int number = 0;
  lock_timers();
  for (int i = 0; i < measured_timer_count; i++) {
    if (measured_timers[i].source == hidden(source)) number = measured_timers[i].number;
  }
  unlock_timers();
  return number;
}

/// Changes what the handler of a timer is to do next, if the timer is measured; returns what it was to do.
static measured_work exchange_next(
    int number, measured_work (*next)(measured_work former, int64_t delay), int64_t delay) {
  measured_work former = {0};
  int place = number % measured_timer_count;
  lock_timers();
  if (number && measured_timers[place].number == number) {
    former = measured_timers[place].next;
    measured_timers[place].next = next(former, delay);
  }
  unlock_timers();
  return former;
}

static measured_work first_call(measured_work former, int64_t delay) {
  (void)former;
  return sleepless_note_delayed(sleepless_wait_timer, delay);
}

static measured_work next_call(measured_work former, int64_t delay) {
  (void)delay;
  return (measured_work){sleepless_repeat_delayed(former.delayed), former.test};
}

/// Notes a new source, which may have the memory of a former one.
static void note_created(void *source, bool is_measured) {
  static int latest;
  lock_timers();
  for (int i = 0; i < measured_timer_count; i++) {
    if (measured_timers[i].source == hidden(source)) measured_timers[i].source = 0;
  }
  if (is_measured && latest < INT32_MAX) {
    latest++;
    measured_timers[latest % measured_timer_count].source = hidden(source);
    measured_timers[latest % measured_timer_count].number = latest;
    measured_timers[latest % measured_timer_count].next = (measured_work){0};
  }
  unlock_timers();
}

extern void *_NSConcreteStackBlock[];

/// How blocks of one kind are copied, as the specification of blocks has it.
typedef struct {
  size_t reserved, size;
  void (*copy)(void *to, const void *from);
  void (*dispose)(const void *block);
} block_description;

/// The start of a block. What it has captured follows.
typedef struct handler_block {
  const void *type;
  int flags;
  /// Reserved by the specification and zero in others. In a copy that is measured: the number of its timer.
  int number;
  void (*call)(struct handler_block *block);
  const block_description *description;
} handler_block;

enum { has_copy_and_dispose = 1 << 25 };

/// The blocks that have the same code.
typedef struct {
  /// The description of the copies. It comes first, so its address is that of the kind.
  block_description description;
  /// The description of the program's blocks.
  const block_description *original;
  /// The program's code.
  void (*call)(handler_block *block);
} handler_kind;

/// A program has few: all closures of Swift that take and return nothing are of one kind.
static handler_kind handler_kinds[handler_kind_count];

/// The kind of a block; null if there are too many. A work item has no kind: its copy would not end the waits for it.
static const handler_kind *kind_of(const handler_block *handler) {
  if (sleepless_is_work_item(handler)) return NULL;
  handler_kind *kind = handler_kinds, *end = handler_kinds + handler_kind_count;
  lock_timers();
  while (kind < end && kind->call && (kind->call != handler->call || kind->original != handler->description)) kind++;
  if (kind < end && !kind->call) {
    kind->description.size = handler->description->size;
    if (handler->flags & has_copy_and_dispose) kind->description = *handler->description;
    kind->original = handler->description;
    kind->call = handler->call;
  }
  unlock_timers();
  return kind < end ? kind : NULL;
}

static void call_handler(handler_block *copy) {
  const handler_kind *kind = (const handler_kind *)copy->description;
  measured_work outer = sleepless_begin_work(exchange_next(copy->number, next_call, 0));
  kind->call(copy);
  sleepless_end_work(outer);
}

typedef void (*set_handler_function)(void *source, const void *block);

/// Sets a handler that notes when it runs, if the source is a timer that is measured.
static void set_measured_handler(set_handler_function set, void *source, const handler_block *handler) {
  int number = number_of(source);
  const handler_kind *kind = number ? kind_of(handler) : NULL;
  if (!kind) return set(source, handler);
  // On the stack. Dispatch copies it to the heap, with what it has captured.
  char bytes[kind->description.size] __attribute__((aligned(16)));
  handler_block *copy = memcpy(bytes, handler, kind->description.size);
  copy->type = _NSConcreteStackBlock;
  copy->flags &= has_copy_and_dispose;
  copy->number = number;
  copy->call = call_handler;
  copy->description = &kind->description;
  set(source, copy);
}

static bool is_of_libraries(const void *caller) {
  return sleepless_is_of_run_loop(caller) || sleepless_is_of_dispatch(caller);
}

extern const char _dispatch_source_type_timer, _dispatch_source_type_data_add, _dispatch_source_type_data_or,
    _dispatch_source_type_data_replace;
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
typedef void *(*create_function)(const void *type, uintptr_t handle, uintptr_t mask, void *queue);

INTERPOSED void *dispatch_source_create(const void *type, uintptr_t handle, uintptr_t mask, void *queue) {
  void *source = REAL(create_function, "dispatch_source_create")(type, handle, mask, queue);
  if (!source) return source;
  bool is_timer = type == &_dispatch_source_type_timer;
  if (sleepless_log) note_created(source, is_timer && !sleepless_driven_here() && !is_of_libraries(CALLER));
  if (is_timer && IS_ANY_CONTEXT) {
    note(sleepless_call_create_timer);
    const sleepless_context *simulation = hooks.creates ? sleepless_capturing_queues(CALLER) : NULL;
    if (simulation) {
      hooks.creates(simulation->owner, source, queue ? queue : dispatch_get_global_queue(0, 0));
      return source;
    }
  }
  // A run loop ends with a timer, which brings no events, and libdispatch has a timer that counts the threads of its
  // pool.
  if (is_of_libraries(CALLER)) return source;
  // The program's own threads send data.
  bool sends_data = type == &_dispatch_source_type_data_add || type == &_dispatch_source_type_data_or ||
                    type == &_dispatch_source_type_data_replace;
  if (!sends_data) sleepless_note_source(source, !is_timer);
  if (!is_timer) sleepless_note_outside(sends_data ? sleepless_outside_data_source : sleepless_outside_source);
  return source;
}

typedef void (*set_timer_function)(void *source, uint64_t start, uint64_t interval, uint64_t leeway);

INTERPOSED void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  note(sleepless_call_set_timer);
  if (IS_ANY_TIMER && hooks.sets_times(source, start, interval)) return;
  uint64_t real_start = sleepless_real_deadline(start, CALLER);
  if (!is_of_libraries(CALLER)) sleepless_note_source_times(source, real_start, interval, leeway);
  if (sleepless_log && (int64_t)real_start > 0) {
    exchange_next(number_of(source), first_call, (int64_t)real_start - sleepless_monotonic_time());
  }
  REAL(set_timer_function, "dispatch_source_set_timer")(source, real_start, interval, leeway);
}

extern __attribute__((weak)) void SANITIZERS(dispatch_source_set_event_handler)(void *source, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_source_set_cancel_handler)(void *source, const void *block);

INTERPOSED void dispatch_source_set_event_handler(void *source, const void *block) {
  note(sleepless_call_set_event_handler);
  if (IS_ANY_TIMER && hooks.sets_handler(source, block, false)) return;
  set_handler_function set = REAL_AFTER(
      set_handler_function, "dispatch_source_set_event_handler", SANITIZERS(dispatch_source_set_event_handler));
  if (!sleepless_log || !block) return set(source, block);
  set_measured_handler(set, source, block);
}

void sleepless_set_cancel_handler(void *source, const void *block) {
  REAL_AFTER(
      set_handler_function, "dispatch_source_set_cancel_handler",
      SANITIZERS(dispatch_source_set_cancel_handler))(source, block);
}

INTERPOSED void dispatch_source_set_cancel_handler(void *source, const void *block) {
  note(sleepless_call_set_cancel_handler);
  if (IS_ANY_TIMER && hooks.sets_handler(source, block, true)) return;
  sleepless_set_cancel_handler(source, block);
}

typedef void (*source_function)(void *object);
extern __attribute__((weak)) void SANITIZERS(dispatch_source_cancel)(void *source);

INTERPOSED void dispatch_source_cancel(void *source) {
  note(sleepless_call_cancel_timer);
  REAL_AFTER(source_function, "dispatch_source_cancel", SANITIZERS(dispatch_source_cancel))(source);
  sleepless_note_source_end(source);
  if (IS_ANY_TIMER) hooks.changes(source, sleepless_timer_is_cancelled);
}

typedef uintptr_t (*data_function)(void *source);

INTERPOSED uintptr_t dispatch_source_get_data(void *source) {
  note(sleepless_call_timer_data);
  int64_t count = IS_ANY_TIMER ? hooks.data(source) : -1;
  return count < 0 ? REAL(data_function, "dispatch_source_get_data")(source) : (uintptr_t)count;
}

INTERPOSED void dispatch_suspend(void *object) {
  note(sleepless_call_suspend);
  REAL(source_function, "dispatch_suspend")(object);
  if (IS_ANY_TIMER) hooks.changes(object, sleepless_timer_is_suspended);
}

void sleepless_timer_goes_on(void *object, bool is_activation) {
  if (IS_ANY_TIMER) hooks.changes(object, is_activation ? sleepless_timer_is_activated : sleepless_timer_is_resumed);
}

// Dispatch's classes for Swift own one reference each, and nothing in them retains the source again.
INTERPOSED void dispatch_release(void *object) {
  note(sleepless_call_release);
  if (IS_ANY_TIMER) hooks.changes(object, sleepless_timer_is_released);
  bool is_only_reference = sleepless_is_of_dispatch_overlay(CALLER) || sleepless_is_of_runtime((uintptr_t)CALLER);
  if (is_only_reference) sleepless_note_source_end(object);
  REAL(source_function, "dispatch_release")(object);
}

bool sleepless_install_timer_hooks(sleepless_timer_hooks new_hooks) {
  bool stands_in = is_first("dispatch_source_create", dispatch_source_create) &&
                   is_first("dispatch_source_set_timer", dispatch_source_set_timer) &&
                   is_first("dispatch_source_set_event_handler", dispatch_source_set_event_handler) &&
                   is_first("dispatch_source_set_cancel_handler", dispatch_source_set_cancel_handler) &&
                   is_first("dispatch_source_cancel", dispatch_source_cancel) &&
                   is_first("dispatch_source_get_data", dispatch_source_get_data) &&
                   is_first("dispatch_suspend", dispatch_suspend) && is_first("dispatch_release", dispatch_release);
  if (stands_in) hooks = new_hooks;
  return stands_in;
}

void sleepless_uninstall_timer_hooks(void) { hooks = (sleepless_timer_hooks){0}; }

#else

void sleepless_count_timers(int change) {}
void sleepless_set_cancel_handler(void *source, const void *block) {}
bool sleepless_install_timer_hooks(sleepless_timer_hooks new_hooks) { return false; }
void sleepless_uninstall_timer_hooks(void) {}

#endif
