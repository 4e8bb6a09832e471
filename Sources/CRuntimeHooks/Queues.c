// Dispatch's queues. The dynamic linker finds these definitions first.
//
// Work that code of a simulation gives to a queue goes to the simulation, which runs it on the real queue when its turn
// comes. Outside simulations the functions that these stand in front of are called, and so they are for the calls of
// Foundation, of the test frameworks and of libdispatch itself.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static sleepless_queue_hooks hooks;
/// In how many simulations work waits for a queue that is suspended. While there are none, nobody needs to know that a
/// queue goes on.
static _Atomic(int) suspended_count;
/// The work for which this thread makes a task.
static _Thread_local const void *work_of_task;

const void *sleepless_work_of_task(void) { return work_of_task; }
void sleepless_set_work_of_task(const void *work) { work_of_task = work; }

void sleepless_count_suspended(int change) { atomic_fetch_add(&suspended_count, change); }

void sleepless_uninstall_queue_hooks(void) { hooks = (sleepless_queue_hooks){0}; }

// The state of a queue

extern void *dispatch_queue_create(const char *label, const void *attributes);
extern void *dispatch_queue_create_with_target(const char *label, const void *attributes, void *target);
extern const void *dispatch_queue_attr_make_initially_inactive(const void *attributes);
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern const char *dispatch_queue_get_label(const void *queue);
extern void dispatch_suspend(void *object);
extern void dispatch_resume(void *object);
extern void dispatch_activate(void *object);
extern const char _dispatch_queue_attr_concurrent, _dispatch_main_q;

// As in libdispatch's queue_internal.h, Swift 6.3: the width is the half word at the lower end of one word. The upper
// bits of another count the suspensions, and say that the queue is inactive.
enum { width_serial = 1, width_concurrent = 0xffe, width_global = 0xfff, longest_queue = 128 };
static const uint64_t suspension_bits = 0xff80000000000000;
/// Where a queue keeps its target, its width and the suspensions; zero if that is not known.
static size_t target_offset, width_offset, suspension_offset;
/// The types of the queues that simulations follow: serial, concurrent, global and the main one. The first word of an
/// object is its type. A queue of another type, such as a workloop, may have the same width.
static uint64_t followed_types[4];

static uint64_t word(const void *queue, size_t offset) { return *(const uint64_t *)((const char *)queue + offset); }
static unsigned width(const void *queue, size_t offset) { return (uint16_t)word(queue, offset); }
static bool is_suspended(const void *queue, size_t offset) { return word(queue, offset) & suspension_bits; }
static uint64_t type(const void *queue) { return word(queue, 0); }

/// Where the shortest of some queues on the heap ends: the address sanitizer forbids to read on.
static size_t end_of_queues(void *const *queues, size_t count) {
  size_t end = longest_queue;
  for (size_t i = 0; i < count; i++) {
    size_t size = malloc_usable_size(queues[i]);
    if (size < end) end = size;
  }
  return end;
}

bool sleepless_find_queue_state(void) {
  void *serial = dispatch_queue_create("sleepless.serial", NULL);
  void *concurrent = dispatch_queue_create("sleepless.concurrent", &_dispatch_queue_attr_concurrent);
  void *targeting = dispatch_queue_create_with_target("sleepless.targeting", NULL, serial);
  void *inactive =
      dispatch_queue_create("sleepless.inactive", dispatch_queue_attr_make_initially_inactive(NULL));
  void *suspended = dispatch_queue_create("sleepless.suspended", NULL);
  void *global = dispatch_get_global_queue(0, 0);
  dispatch_suspend(suspended);
  dispatch_suspend(suspended);
  const void *const types[] = {serial, concurrent, global, &_dispatch_main_q};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) followed_types[i] = type(types[i]);
  bool have_types = type(targeting) == type(serial) && type(inactive) == type(serial) && type(suspended) == type(serial);
  void *const queues[] = {targeting, serial, concurrent, inactive, suspended};
  enum { queue_count = sizeof queues / sizeof *queues };
  size_t end = end_of_queues(queues, queue_count);
  int targets = 0, widths = 0, suspensions = 0;
  // The first two words are the type and the reference counts.
  for (size_t offset = 16; offset + sizeof(uint64_t) <= end; offset += sizeof(uint64_t)) {
    if (word(targeting, offset) == (uintptr_t)serial && word(serial, offset) != (uintptr_t)serial) {
      target_offset = offset;
      targets++;
    }
    if (width(serial, offset) == width_serial && width(targeting, offset) == width_serial &&
        width(&_dispatch_main_q, offset) == width_serial && width(concurrent, offset) == width_concurrent &&
        width(global, offset) == width_global) {
      width_offset = offset;
      widths++;
    }
    if (is_suspended(suspended, offset) && is_suspended(inactive, offset) && !is_suspended(serial, offset) &&
        !is_suspended(concurrent, offset) && !is_suspended(&_dispatch_main_q, offset)) {
      suspension_offset = offset;
      suspensions++;
    }
  }
  // A queue must not be released while it is suspended.
  dispatch_resume(suspended);
  dispatch_resume(suspended);
  dispatch_activate(inactive);
  bool goes_on = suspensions && !is_suspended(suspended, suspension_offset) && !is_suspended(inactive, suspension_offset);
  for (size_t i = 0; i < queue_count; i++) dispatch_release(queues[i]);
  return have_types && targets == 1 && widths == 1 && suspensions == 1 && goes_on;
}

static bool is_followed(const void *queue) {
  for (size_t i = 0; i < sizeof followed_types / sizeof *followed_types; i++)
    if (type(queue) == followed_types[i]) return true;
  return false;
}

bool sleepless_read_queue(const void *queue, sleepless_queue_state *state) {
  if (!is_followed(queue)) return false;
  unsigned queue_width = width(queue, width_offset);
  *state = (sleepless_queue_state){(void *)word(queue, target_offset), queue_width == width_serial, false};
  if (queue_width == width_global) {
    state->target = NULL;
    return true;
  }
  state->is_suspended = is_suspended(queue, suspension_offset);
  return state->target && (queue_width == width_serial || queue_width == width_concurrent);
}

bool sleepless_is_suspended(const void *queue) {
  sleepless_queue_state state;
  while (queue && sleepless_read_queue(queue, &state)) {
    if (state.is_suspended) return true;
    queue = state.target;
  }
  return false;
}

const void *sleepless_main_queue(void) { return &_dispatch_main_q; }
void *sleepless_main_queue_object(void) { return (void *)&_dispatch_main_q; }
const char *sleepless_queue_label(const void *queue) { return dispatch_queue_get_label(queue); }
void sleepless_retain_dispatch(void *object) { dispatch_retain(object); }
void sleepless_release_dispatch(void *object) { dispatch_release(object); }

// Blocks

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

/// The start of a block, as the specification of blocks has it.
typedef struct {
  const void *type;
  int flags, reserved;
  void (*call)(const void *block);
  const struct {
    size_t reserved, size;
  } *description;
} block_header;

/// What libdispatch keeps in a block with flags, that is, in a work item: the start of its queue_internal.h's
/// `dispatch_block_private_data_s`.
typedef struct {
  block_header header;
  uint64_t magic, flags;
} work_item;

static const uint64_t work_item_magic = 0xD159B10C, barrier_flag = 1;

bool sleepless_is_work_item(const void *block) {
  const work_item *item = block;
  return item->header.description->size >= sizeof *item && item->magic == work_item_magic;
}

/// Whether a block is a work item that is a barrier.
static bool is_barrier_item(const void *block) {
  return sleepless_is_work_item(block) && ((const work_item *)block)->flags & barrier_flag;
}

void *sleepless_copy_block(const void *block) { return _Block_copy(block); }
void sleepless_release_block(const void *block) { _Block_release(block); }
void sleepless_call_block(const void *block) { ((const block_header *)block)->call(block); }

// The calls

const sleepless_context *sleepless_following_queues(void) {
  const sleepless_context *executor_context = sleepless_driven_here();
  return executor_context && executor_context->follows_queues ? executor_context : NULL;
}

/// Whether code belongs to a framework, whose queues are real. Its network code tells that it is used.
static bool is_of_framework(const void *address) {
  if (sleepless_is_of_networking(address)) sleepless_note_outside(sleepless_outside_network);
  return sleepless_is_of_framework(address);
}

/// The same as `sleepless_capturing_queues`. Notes whether an operation makes the call.
static const sleepless_context *capturing(const void *address, bool *is_of_operation) {
  if (!hooks.submits || is_of_framework(address)) return NULL;
  const sleepless_context *executor_context = sleepless_following_queues();
  if (!executor_context) return NULL;
  // Dispatch's overlay for Swift makes the call for the program or for a framework.
  const void *caller = sleepless_caller_of_dispatch(address);
  if (!is_of_framework(caller)) return executor_context;
  *is_of_operation = sleepless_is_of_operation(caller);
  return *is_of_operation ? executor_context : NULL;
}

const sleepless_context *sleepless_capturing_queues(const void *address) {
  bool is_of_operation = false;
  return capturing(address, &is_of_operation);
}

/// Whether the call is only a sample. Notes it if it has the sample's object. `block` is null if it has none.
static bool samples(sleepless_queue_call call, const void *object, const void *block) {
  sleepless_sample *sample = sleepless_sampling;
  if (!sample || !sample->samples_queues) return false;
  if (!sample->queue) sample->queue = object;
  if (call == sleepless_call_group_async && !sample->group) sample->group = object;
  if (object != sample->queue && object != sample->group) return false;
  sample->queue_calls |= call;
  if (block && is_barrier_item(block)) sample->barrier_item_count++;
  return true;
}

#define IS_ANY_CONTEXT (atomic_load_explicit(&sleepless_context_count, memory_order_relaxed))
#define CAPTURING (IS_ANY_CONTEXT ? sleepless_capturing_queues(CALLER) : NULL)
#define SAMPLES(call, object, block) (IS_ANY_CONTEXT && samples(call, object, block))
#define SAMPLES_OPERATION (IS_ANY_CONTEXT && sleepless_samples_operation(CALLER))

typedef void (*queue_function)(void *queue, const void *block);
#define REAL_QUEUE_FUNCTION(name) REAL_AFTER(queue_function, #name, SANITIZERS(name))
extern __attribute__((weak)) void SANITIZERS(dispatch_async)(void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_barrier_async)(void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_sync)(void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_barrier_sync)(void *queue, const void *block);

typedef void (*group_function)(void *group, void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_group_async)(void *group, void *queue, const void *block);
extern void dispatch_group_enter(void *group);
extern void dispatch_group_leave(void *group);

void sleepless_leave_group(void *group) { dispatch_group_leave(group); }

static void send(void *queue, const void *block, bool is_barrier) {
  queue_function send = is_barrier ? REAL_QUEUE_FUNCTION(dispatch_barrier_async) : REAL_QUEUE_FUNCTION(dispatch_async);
  send(queue, block);
}

static void send_in_group(void *group, void *queue, const void *block) {
  REAL_AFTER(group_function, "dispatch_group_async", SANITIZERS(dispatch_group_async))(group, queue, block);
}

void sleepless_send_to_queue(void *queue, const void *block, bool is_barrier, void *group) {
  if (!group) return send(queue, block, is_barrier);
  // This enters the group once more.
  send_in_group(group, queue, block);
  dispatch_group_leave(group);
}

void sleepless_run_on_queue(void *queue, const void *block, bool is_barrier) {
  queue_function run = is_barrier ? REAL_QUEUE_FUNCTION(dispatch_barrier_sync) : REAL_QUEUE_FUNCTION(dispatch_sync);
  run(queue, block);
}

/// Gives a block to the simulation, if it takes it.
static bool submits(
    const sleepless_context *simulation, void *queue, const void *block, bool is_barrier, void *group,
    int64_t nanoseconds) {
  if (!simulation) return false;
  is_barrier = is_barrier || is_barrier_item(block);
  return hooks.submits(simulation->owner, queue, block, is_barrier, group, nanoseconds);
}

/// Gives a block to the simulation that the calling code belongs to, if that takes it.
static bool submits_at_once(void *queue, const void *block, bool is_barrier, const void *address) {
  bool is_of_operation = false;
  const sleepless_context *simulation = IS_ANY_CONTEXT ? capturing(address, &is_of_operation) : NULL;
  if (is_of_operation && sleepless_keeps_operation(simulation, queue, block, is_barrier)) return true;
  return submits(simulation, queue, block, is_barrier, NULL, 0);
}

// Work that is measured
//
// Outside simulations, with SLEEPLESS_WAITS: a block knows the test that has given it to a queue, and a delayed block
// how long it was delayed.

typedef struct {
  void *block;
  measured_work work;
} measured_block;

static void run_measured(void *argument) {
  measured_block *measured = argument;
  measured_work outer = sleepless_begin_work(measured->work);
  sleepless_call_block(measured->block);
  sleepless_end_work(outer);
  _Block_release(measured->block);
  free(measured);
}

static measured_block *make_measured(const void *block, measured_work work) {
  measured_block *measured = malloc(sizeof *measured);
  *measured = (measured_block){_Block_copy(block), work};
  return measured;
}

extern void dispatch_async_f(void *queue, void *argument, void (*function)(void *argument));
extern void dispatch_barrier_async_f(void *queue, void *argument, void (*function)(void *argument));
extern void dispatch_group_async_f(void *group, void *queue, void *argument, void (*function)(void *argument));
extern void dispatch_after_f(uint64_t deadline, void *queue, void *argument, void (*function)(void *argument));

void sleepless_call_on_queue(void *queue, bool is_barrier, void *argument, void (*function)(void *argument)) {
  if (is_barrier) return dispatch_barrier_async_f(queue, argument, function);
  dispatch_async_f(queue, argument, function);
}

/// The block to give to a queue with the test that gives it; null if the test is not known. A queue has to see the
/// flags of a work item.
static measured_block *measured_for_test(const void *block) {
  int32_t test = sleepless_is_work_item(block) ? 0 : sleepless_known_test();
  return test ? make_measured(block, (measured_work){0, test}) : NULL;
}

/// The block to delay, with a record; null if it is not measured: of a work item, and of the frameworks.
static measured_block *measured_delay(uint64_t deadline, const void *block, const void *address) {
  // A wall time is stored as a negative number.
  if (sleepless_is_work_item(block) || (int64_t)deadline < 0) return NULL;
  if (sleepless_is_of_framework(sleepless_caller_of_dispatch(address))) return NULL;
  int64_t left = (int64_t)deadline - sleepless_monotonic_time();
  measured_work work = sleepless_note_delayed(sleepless_wait_delayed_call, left);
  return work.delayed ? make_measured(block, work) : NULL;
}

INTERPOSED void dispatch_async(void *queue, const void *block) {
  if (SAMPLES(sleepless_call_async, queue, block) || SAMPLES_OPERATION) return;
  if (submits_at_once(queue, block, false, CALLER)) return;
  measured_block *measured = sleepless_log ? measured_for_test(block) : NULL;
  if (measured) return dispatch_async_f(queue, measured, run_measured);
  send(queue, block, false);
}

INTERPOSED void dispatch_barrier_async(void *queue, const void *block) {
  if (SAMPLES(sleepless_call_barrier_async, queue, block) || SAMPLES_OPERATION) return;
  if (!submits_at_once(queue, block, true, CALLER)) send(queue, block, true);
}

INTERPOSED void dispatch_group_async(void *group, void *queue, const void *block) {
  if (SAMPLES(sleepless_call_group_async, group, block)) return;
  const sleepless_context *simulation = CAPTURING;
  if (simulation) {
    dispatch_group_enter(group);
    if (submits(simulation, queue, block, false, group, 0)) return;
    dispatch_group_leave(group);
  }
  measured_block *measured = sleepless_log ? measured_for_test(block) : NULL;
  if (measured) return dispatch_group_async_f(group, queue, measured, run_measured);
  send_in_group(group, queue, block);
}

typedef void (*after_function)(uint64_t when, void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_after)(uint64_t when, void *queue, const void *block);

INTERPOSED void dispatch_after(uint64_t when, void *queue, const void *block) {
  if (SAMPLES(sleepless_call_after, queue, block)) return;
  const sleepless_context *simulation = CAPTURING;
  int64_t left = simulation ? sleepless_left_until(when, simulation) : 0;
  if (submits(simulation, queue, block, false, NULL, left)) return;
  uint64_t deadline = sleepless_real_deadline(when, CALLER);
  measured_block *measured = sleepless_log ? measured_delay(deadline, block, CALLER) : NULL;
  // That one notes the deadline.
  if (measured) return dispatch_after_f(deadline, queue, measured, run_measured);
  sleepless_note_deadline(deadline);
  REAL_AFTER(after_function, "dispatch_after", SANITIZERS(dispatch_after))(deadline, queue, block);
}

/// `real` is for a queue that simulations do not follow. Not every function takes every queue.
static void sync(
    const sleepless_context *simulation, void *queue, const void *block, bool is_barrier, queue_function real) {
  void *work = NULL;
  sleepless_sync_place place = sleepless_sync_is_real;
  if (simulation) {
    bool blocks_others = is_barrier || is_barrier_item(block);
    place = hooks.begins_sync(simulation->owner, queue, block, blocks_others, &work);
  }
  if (place == sleepless_sync_is_real) return real(queue, block);
  if (place != sleepless_sync_is_done) sleepless_run_on_queue(queue, block, is_barrier);
  if (place == sleepless_sync_is_here) hooks.ends_sync(simulation->owner, work);
}

INTERPOSED void dispatch_sync(void *queue, const void *block) {
  (void)SAMPLES(sleepless_call_sync, queue, NULL);
  sync(CAPTURING, queue, block, false, REAL_QUEUE_FUNCTION(dispatch_sync));
}

INTERPOSED void dispatch_barrier_sync(void *queue, const void *block) {
  (void)SAMPLES(sleepless_call_barrier_sync, queue, NULL);
  sync(CAPTURING, queue, block, true, REAL_QUEUE_FUNCTION(dispatch_barrier_sync));
}

// C's; Swift on Linux does not show them. In a simulation they are `sync`: the block runs on the calling thread, which
// is the queue's then. Outside they may run it on a thread of the queue.

INTERPOSED void dispatch_async_and_wait(void *queue, const void *block) {
  sync(CAPTURING, queue, block, false, REAL(queue_function, "dispatch_async_and_wait"));
}

INTERPOSED void dispatch_barrier_async_and_wait(void *queue, const void *block) {
  sync(CAPTURING, queue, block, true, REAL(queue_function, "dispatch_barrier_async_and_wait"));
}

bool sleepless_group_is_empty(void *group) {
  extern __attribute__((weak)) intptr_t SANITIZERS(dispatch_group_wait)(void *group, uint64_t deadline);
  return !REAL_AFTER(wait_function, "dispatch_group_wait", SANITIZERS(dispatch_group_wait))(group, 0);
}

extern __attribute__((weak)) void SANITIZERS(dispatch_group_notify)(void *group, void *queue, const void *block);

void sleepless_send_to_group(void *group, void *queue, const void *block) {
  REAL_AFTER(group_function, "dispatch_group_notify", SANITIZERS(dispatch_group_notify))(group, queue, block);
}

INTERPOSED void dispatch_group_notify(void *group, void *queue, const void *block) {
  if (SAMPLES(sleepless_call_group_notify, group, NULL)) return;
  // libdispatch calls this for `notify` of a work item.
  const sleepless_context *simulation = IS_ANY_CONTEXT && hooks.submits ? sleepless_following_queues() : NULL;
  if (simulation && hooks.notifies(simulation->owner, group, queue, block, is_barrier_item(block))) return;
  sleepless_send_to_group(group, queue, block);
}

typedef void (*apply_function)(size_t iterations, void *queue, const void *block);
extern __attribute__((weak)) void SANITIZERS(dispatch_apply)(size_t iterations, void *queue, const void *block);

INTERPOSED void dispatch_apply(size_t iterations, void *queue, const void *block) {
  if (sleepless_sampling) sleepless_sampling->queue_calls |= sleepless_call_apply;
  if (CAPTURING) {
    // One thread runs at a time in a simulation.
    void (*call)(const void *block, size_t iteration) =
        (void (*)(const void *, size_t))((const block_header *)block)->call;
    const sleepless_context *simulation = iterations > 1 ? sleepless_following_queues() : NULL;
    size_t *order = simulation ? hooks.order_of_iterations(simulation->owner, iterations) : NULL;
    for (size_t i = 0; i < iterations; i++) call(block, order ? order[i] : i);
    free(order);
    return;
  }
  REAL_AFTER(apply_function, "dispatch_apply", SANITIZERS(dispatch_apply))(iterations, queue, block);
}

// Queues that go on

typedef void (*object_function)(void *object);
extern __attribute__((weak)) void SANITIZERS(dispatch_resume)(void *object);
extern __attribute__((weak)) void SANITIZERS(dispatch_activate)(void *object);

INTERPOSED void dispatch_resume(void *object) {
  (void)SAMPLES(sleepless_call_resume, object, NULL);
  REAL_AFTER(object_function, "dispatch_resume", SANITIZERS(dispatch_resume))(object);
  sleepless_timer_goes_on(object, false);
  if (atomic_load(&suspended_count)) hooks.goes_on(object);
}

INTERPOSED void dispatch_activate(void *object) {
  (void)SAMPLES(sleepless_call_activate, object, NULL);
  REAL_AFTER(object_function, "dispatch_activate", SANITIZERS(dispatch_activate))(object);
  sleepless_timer_goes_on(object, true);
  if (atomic_load(&suspended_count)) hooks.goes_on(object);
}

bool sleepless_install_queue_hooks(sleepless_queue_hooks new_hooks) {
  bool stands_in = is_first("dispatch_async", dispatch_async) &&
                   is_first("dispatch_barrier_async", dispatch_barrier_async) &&
                   is_first("dispatch_group_async", dispatch_group_async) &&
                   is_first("dispatch_after", dispatch_after) && is_first("dispatch_sync", dispatch_sync) &&
                   is_first("dispatch_barrier_sync", dispatch_barrier_sync) &&
                   is_first("dispatch_async_and_wait", dispatch_async_and_wait) &&
                   is_first("dispatch_barrier_async_and_wait", dispatch_barrier_async_and_wait) &&
                   is_first("dispatch_group_notify", dispatch_group_notify) &&
                   is_first("dispatch_apply", dispatch_apply) && is_first("dispatch_resume", dispatch_resume) &&
                   is_first("dispatch_activate", dispatch_activate);
  if (!stands_in || !sleepless_find_frameworks()) return false;
  hooks = new_hooks;
  return true;
}

#else

void sleepless_count_suspended(int change) {}
void sleepless_uninstall_queue_hooks(void) {}
bool sleepless_find_queue_state(void) { return false; }
bool sleepless_read_queue(const void *queue, sleepless_queue_state *state) { return false; }
bool sleepless_is_suspended(const void *queue) { return false; }
const void *sleepless_work_of_task(void) { return NULL; }
void sleepless_set_work_of_task(const void *work) {}
const void *sleepless_main_queue(void) { return NULL; }
void *sleepless_main_queue_object(void) { return NULL; }
const char *sleepless_queue_label(const void *queue) { return ""; }
void sleepless_retain_dispatch(void *object) {}
void sleepless_release_dispatch(void *object) {}
void *sleepless_copy_block(const void *block) { return NULL; }
void sleepless_release_block(const void *block) {}
void sleepless_call_block(const void *block) {}
void sleepless_run_on_queue(void *queue, const void *block, bool is_barrier) {}
void sleepless_send_to_queue(void *queue, const void *block, bool is_barrier, void *group) {}
void sleepless_send_to_group(void *group, void *queue, const void *block) {}
void sleepless_call_on_queue(void *queue, bool is_barrier, void *argument, void (*function)(void *argument)) {}
bool sleepless_group_is_empty(void *group) { return true; }
void sleepless_leave_group(void *group) {}
bool sleepless_install_queue_hooks(sleepless_queue_hooks new_hooks) { return false; }

#endif
