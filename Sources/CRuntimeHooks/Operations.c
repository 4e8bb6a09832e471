// Foundation's operations. The dynamic linker finds these definitions first.
//
// Foundation makes a work item for each operation, and gives it to a queue of Dispatch when the operation may run. It
// does so in a few functions, which the probe samples.
//
// When an operation has ended, Foundation gives those that depend on it in the order of a `Set`, which differs from run
// to run. In a simulation they are kept until it has given all, and then begin in the order in which they were added to
// their queues. If a queue has no room for all of them, Foundation chooses which of them it gives now.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <unwind.h>

static sleepless_operation_hooks hooks;

// The functions in which operations give work to queues

/// The functions of Foundation in which they do, in the order of the samples.
static const void *functions[4];
static int function_count;
enum {
  /// The one that gives a queue's operations which may run: `OperationQueue._schedule()`.
  gives_operations = 0,
  /// The one that notes that an operation has ended, or that it may run now: `Operation.observeValue(forKeyPath:…)`. It
  /// gives the completion block to a queue.
  notes_change = 2,
};

bool sleepless_is_of_operation(const void *address) {
  if (!hooks.main_operations) return false;
  const void *function = sleepless_function_of(address);
  for (int i = 0; i < function_count; i++) {
    if (functions[i] == function) return true;
  }
  return false;
}

typedef struct {
  /// How many of the functions were found that are on the stack when an operation has ended: first the one that gives
  /// operations, then the one that notes a change, for the operation that may run and for the one that has ended.
  int found;
  int frames_left;
} end_search;

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *argument) {
  end_search *search = argument;
  const void *function = (const void *)_Unwind_GetRegionStart(frame);
  const void *next = functions[search->found == 0 ? gives_operations : notes_change];
  if (function == next) {
    search->found++;
  } else if (search->found) {
    return _URC_END_OF_STACK;
  }
  return search->found < 3 && --search->frames_left ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Whether Foundation gives an operation to a queue because one on which it depends has ended.
static bool has_ended_before(void) {
  end_search search = {.frames_left = 16};
  _Unwind_Backtrace(look_at_frame, &search);
  return search.found == 3;
}

bool sleepless_samples_operation(const void *caller) {
  sleepless_sample *sample = sleepless_sampling;
  if (!sample || !sample->samples_operations) return false;
  caller = sleepless_caller_of_dispatch(caller);
  const void *function = sleepless_is_of_foundation(caller) ? sleepless_function_of(caller) : NULL;
  bool is_new = function != NULL;
  for (int i = 0; i < function_count; i++) is_new = is_new && functions[i] != function;
  if (is_new && function_count < 4) functions[function_count++] = function;
  sample->operation_function_count = function_count;
  if (has_ended_before()) sample->dependent_operation_count++;
  return true;
}

// Operations that wait for the end of another one

/// How many operations simulations keep until Foundation has given all that waited for one.
static _Atomic int kept_count;

void sleepless_count_kept_operations(int change) { atomic_fetch_add(&kept_count, change); }

bool sleepless_keeps_operation(const sleepless_context *simulation, void *queue, const void *block, bool is_barrier) {
  return has_ended_before() && hooks.keeps(simulation->owner, queue, block, is_barrier);
}

void sleepless_note_broadcast(void) {
  if (!atomic_load_explicit(&kept_count, memory_order_relaxed)) return;
  // Foundation broadcasts an operation's condition after it has given all that waited for it. They come before the
  // threads that wait for the operation. Another broadcast in between submits early.
  const sleepless_context *simulation = sleepless_following_queues();
  if (simulation) hooks.submits_kept(simulation->owner);
}

typedef void *(*item_function)(unsigned long flags, const void *block);
typedef void *(*item_of_class_function)(unsigned long flags, unsigned int class, int priority, const void *block);

static void *note_item(void *item, const void *caller) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return item;
  sleepless_sample *sample = sleepless_sampling;
  const sleepless_context *simulation = hooks.made_item ? sleepless_following_queues() : NULL;
  if (!sample && !simulation) return item;
  if (!sleepless_is_of_foundation(sleepless_caller_of_dispatch(caller))) return item;
  if (sample) sample->operation_item_count++;
  if (simulation) hooks.made_item(simulation->owner, item);
  return item;
}

INTERPOSED void *dispatch_block_create(unsigned long flags, const void *block) {
  return note_item(REAL(item_function, "dispatch_block_create")(flags, block), CALLER);
}

INTERPOSED void *dispatch_block_create_with_qos_class(
    unsigned long flags, unsigned int class, int priority, const void *block) {
  item_of_class_function real = REAL(item_of_class_function, "dispatch_block_create_with_qos_class");
  return note_item(real(flags, class, priority, block), CALLER);
}

// The main operation queue

#define MAIN_OPERATIONS "$s10Foundation14OperationQueueC4mainACvgZ"

typedef SWIFT_CALL void *(*main_operations_function)(SWIFT_CONTEXT void *type);

// Each simulation has a main operation queue of its own. The process's runs one operation at a time: the end of one of
// a simulation would begin one of another.
STAND_IN SWIFT_CALL void *sleepless_main_operations(SWIFT_CONTEXT void *type) __asm__(MAIN_OPERATIONS);
SWIFT_CALL void *sleepless_main_operations(SWIFT_CONTEXT void *type) {
  if (atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) {
    if (sleepless_sampling) sleepless_sampling->reads_main_operations = true;
    const sleepless_context *simulation = hooks.main_operations ? sleepless_following_queues() : NULL;
    void *queue = simulation && !sleepless_is_of_system(CALLER) ? hooks.main_operations(simulation->owner) : NULL;
    if (queue) return queue;
  }
  return REAL(main_operations_function, MAIN_OPERATIONS)(type);
}

#define CURRENT_OPERATIONS "$s10Foundation14OperationQueueC7currentACSgvgZ"

// On the main thread Foundation returns its own main queue, which belongs to no simulation.
STAND_IN SWIFT_CALL void *sleepless_current_operations(SWIFT_CONTEXT void *type) __asm__(CURRENT_OPERATIONS);
SWIFT_CALL void *sleepless_current_operations(SWIFT_CONTEXT void *type) {
  void *queue = REAL(main_operations_function, CURRENT_OPERATIONS)(type);
  bool may_be_own =
      queue && hooks.main_operations && atomic_load_explicit(&sleepless_context_count, memory_order_relaxed);
  const sleepless_context *simulation = may_be_own ? sleepless_following_queues() : NULL;
  if (!simulation || sleepless_is_of_system(CALLER)) return queue;
  void *main = REAL(main_operations_function, MAIN_OPERATIONS)(type);
  swift_release(main);
  void *own = queue == main ? hooks.main_operations(simulation->owner) : NULL;
  if (!own) return queue;
  swift_release(queue);
  return own;
}

bool sleepless_install_operation_hooks(sleepless_operation_hooks new_hooks) {
  bool stands_in = is_first(MAIN_OPERATIONS, sleepless_main_operations) &&
                   is_first(CURRENT_OPERATIONS, sleepless_current_operations) &&
                   is_first("dispatch_block_create", dispatch_block_create) &&
                   is_first("dispatch_block_create_with_qos_class", dispatch_block_create_with_qos_class);
  if (!stands_in || function_count <= notes_change) return false;
  hooks = new_hooks;
  return true;
}

void sleepless_uninstall_operation_hooks(void) { hooks = (sleepless_operation_hooks){0}; }

#else

bool sleepless_install_operation_hooks(sleepless_operation_hooks new_hooks) { return false; }
void sleepless_uninstall_operation_hooks(void) {}
void sleepless_count_kept_operations(int change) {}

#endif
