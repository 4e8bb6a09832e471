// Timer sources of Dispatch. The dynamic linker finds these definitions first.
//
// A timer source that code of a simulation creates is a real source without times and handlers. The simulation keeps
// those, and gives the handlers to the source's queue as blocks. Calls that suspend, let go on or cancel reach both.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

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
// Outside simulations, with SLEEPLESS_WAITS, the handler of a timer source runs in a block that notes when.

enum { measured_timer_count = 256 };
static struct {
  /// The source, hidden.
  uintptr_t source;
  /// The work that its handler is to do next.
  measured_work next;
} measured_timers[measured_timer_count];
static atomic_flag timer_lock = ATOMIC_FLAG_INIT;

/// Changes what the handler of a source is to do next, if the source is measured; returns what it was to do.
static measured_work exchange_next(
    void *source, measured_work (*next)(measured_work former, int64_t delay), int64_t delay) {
  measured_work former = {0};
  while (atomic_flag_test_and_set(&timer_lock)) {
  }
  for (int i = 0; source && i < measured_timer_count; i++) {
    if (measured_timers[i].source != hidden(source)) continue;
    former = measured_timers[i].next;
    measured_timers[i].next = next(former, delay);
    break;
  }
  atomic_flag_clear(&timer_lock);
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

static void add_measured_timer(void *source) {
  static int next;
  while (atomic_flag_test_and_set(&timer_lock)) {
  }
  measured_timers[next % measured_timer_count].source = hidden(source);
  measured_timers[next++ % measured_timer_count].next = (measured_work){0};
  atomic_flag_clear(&timer_lock);
}

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void *_NSConcreteStackBlock[];

/// A block as the specification of blocks has it.
typedef struct measured_handler {
  const void *type;
  int flags, reserved;
  void (*call)(struct measured_handler *block);
  const struct measured_handler_description *description;
  void *source;
  const void *handler;
} measured_handler;

static const struct measured_handler_description {
  size_t reserved, size;
  void (*copy)(measured_handler *to, const measured_handler *from);
  void (*dispose)(const measured_handler *block);
} measured_handler_description;

static void copy_handler(measured_handler *to, const measured_handler *from) {
  to->handler = _Block_copy(from->handler);
}

static void dispose_handler(const measured_handler *block) { _Block_release(block->handler); }

static void call_handler(measured_handler *block) {
  measured_work outer = sleepless_begin_work(exchange_next(block->source, next_call, 0));
  sleepless_call_block(block->handler);
  sleepless_end_work(outer);
}

static const struct measured_handler_description measured_handler_description = {
    0, sizeof(measured_handler), copy_handler, dispose_handler};

/// A block on the caller's stack, which calls a handler and notes when.
static measured_handler measured(void *source, const void *handler) {
  enum { has_copy_and_dispose = 1 << 25 };
  return (measured_handler){_NSConcreteStackBlock, has_copy_and_dispose, 0, call_handler,
                            &measured_handler_description, source, handler};
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
  if (sleepless_log && is_timer && !sleepless_driven_here() && !is_of_libraries(CALLER)) add_measured_timer(source);
  if (is_timer && IS_ANY_CONTEXT) {
    note(sleepless_call_create_timer);
    const sleepless_context *simulation = hooks.creates ? sleepless_capturing_queues(CALLER) : NULL;
    if (simulation) {
      hooks.creates(simulation->owner, source, queue ? queue : dispatch_get_global_queue(0, 0));
      return source;
    }
  }
  // The program's own threads send data. A run loop ends with a timer, which brings no events, and libdispatch has a
  // timer that counts the threads of its pool.
  bool is_of_program = type == &_dispatch_source_type_data_add || type == &_dispatch_source_type_data_or ||
                       type == &_dispatch_source_type_data_replace;
  if (!is_of_program && !is_of_libraries(CALLER)) {
    sleepless_note_source(source, !is_timer);
    if (!is_timer) sleepless_note_outside(sleepless_outside_source);
  }
  return source;
}

typedef void (*set_timer_function)(void *source, uint64_t start, uint64_t interval, uint64_t leeway);

INTERPOSED void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  note(sleepless_call_set_timer);
  if (IS_ANY_TIMER && hooks.sets_times(source, start, interval)) return;
  uint64_t real_start = sleepless_real_deadline(start, CALLER);
  if (!is_of_libraries(CALLER)) sleepless_note_source_times(source, real_start, interval, leeway);
  if (sleepless_log && (int64_t)real_start > 0) {
    exchange_next(source, first_call, (int64_t)real_start - sleepless_monotonic_time());
  }
  REAL(set_timer_function, "dispatch_source_set_timer")(source, real_start, interval, leeway);
}

typedef void (*set_handler_function)(void *source, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_source_set_event_handler)(void *source, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_source_set_cancel_handler)(void *source, const void *block);

INTERPOSED void dispatch_source_set_event_handler(void *source, const void *block) {
  note(sleepless_call_set_event_handler);
  if (IS_ANY_TIMER && hooks.sets_handler(source, block, false)) return;
  set_handler_function set = REAL_AFTER(
      set_handler_function, "dispatch_source_set_event_handler", SANITIZERS(dispatch_source_set_event_handler));
  if (!sleepless_log || !block) return set(source, block);
  measured_handler handler = measured(source, block);
  set(source, &handler);
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
