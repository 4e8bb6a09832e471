// Tasks: their creation, the functions in which they are suspended, and their end.
//
// A new task is created by `swift_task_create`. The dynamic linker finds the definition in this file first,
// for the program and for the libraries that it loads. So every creation of a task calls it, except those
// inside the runtime.

#include "StandIns.h"

void *sleepless_current_task(void) { return swift_task_getCurrent(); }

bool sleepless_is_task(void *job) { return (swift_task_getJobFlags(job) & 0xff) == 0; }

/// Where this thread puts the first job of the task that it is creating, instead of enqueueing it; null
/// while it creates none.
static _Thread_local void **first_job_place;

bool sleepless_takes_first_job(void *job) {
  if (!first_job_place || !sleepless_is_task(job)) return false;
  *first_job_place = job;
  return true;
}

void sleepless_cancel_task(void *task) { swift_task_cancel(task); }

bool sleepless_try_retain(const void *object) { return swift_tryRetain((void *)object) != NULL; }

void sleepless_release(const void *object) { swift_release((void *)object); }

size_t sleepless_retain_count(const void *object) { return swift_retainCount((void *)object); }

size_t sleepless_release_other_references(void *context) {
  size_t count = context ? swift_retainCount(context) : 0;
  if (count < 2) return 0;
  swift_unownedRetain(context);  // keeps its memory
  for (size_t i = 1; i < count; i++) swift_release(context);
  return count - 1;
}

void sleepless_restore_references(void *context, size_t count) {
  if (count) swift_initStackObject(*(void **)context, context);
  for (size_t i = 0; i < count; i++) swift_retain(context);
}

#ifdef SLEEPLESS_CAN_CAPTURE

#include <malloc.h>
#include <string.h>

// The end of a task
//
// A task's first context returns to a function of the runtime that completes the task. There are a few of
// these, one for each kind of closure. Each is replaced by a completion hook, which reports the end of the
// task and then calls the replaced function.

enum { ending_count = 8 };
static _Atomic(resume_function) endings[ending_count];

static void report_end(bool by_error) {
  const sleepless_context *executor_context = sleepless_current_context();
  void *task = swift_task_getCurrent();
  if (sleepless_sampling) {
    sleepless_sampling->ended_task = task;
    sleepless_sampling->ended_by_error = by_error;
    sleepless_sampling->end_count++;
  }
  if (sleepless_asks.task_has_ended) {
    sleepless_asks.task_has_ended(executor_context ? executor_context->owner : NULL, task, by_error);
  }
  if (task == sleepless_thread_state.task) sleepless_thread_state.task = NULL;
}

#define COMPLETION_HOOK(index)                                                                              \
  SWIFT_ASYNC_CALL static void completion_hook##index(                                                      \
      SWIFT_ASYNC_CONTEXT void *context, SWIFT_CONTEXT void *error) {                            \
    report_end(error != NULL);                                                                  \
    __attribute__((musttail)) return atomic_load(&endings[index])(context, error);               \
  }
COMPLETION_HOOK(0) COMPLETION_HOOK(1) COMPLETION_HOOK(2) COMPLETION_HOOK(3) COMPLETION_HOOK(4) COMPLETION_HOOK(5) COMPLETION_HOOK(6) COMPLETION_HOOK(7)
static const resume_function completion_hooks[ending_count] = {
    completion_hook0, completion_hook1, completion_hook2, completion_hook3,
    completion_hook4, completion_hook5, completion_hook6, completion_hook7};

/// Replaces the function that completes a task by a hook, unless there are more such functions than
/// expected.
static void watch_end(async_context *context) {
  resume_function ending = context->resume_parent;
  for (int i = 0; i < ending_count; i++) {
    resume_function known = NULL;
    if (atomic_compare_exchange_strong(&endings[i], &known, ending) || known == ending) {
      context->resume_parent = completion_hooks[i];
      return;
    }
  }
}

// The functions in which a task is suspended
//
// A task's memory holds the function that it will resume in, followed by that function's context. Their
// offset is found in the first task that is created: a new task resumes with the context that it was created
// with.

// Four words after the context lies the status of the task: flags and, in the lowest byte, the priority
// (Swift 6.3).

static _Atomic(size_t) context_offset;
static _Atomic(size_t) status_offset;

enum {
  status_distance = 0x20,
  status_running = 0x800,
  status_enqueued = 0x1000,
  status_known = 0xfffff
};

static void learn_layout(void *task, async_context *context) {
  // If another thread has raised the task's priority meanwhile, the status is not recognised; the next
  // task's will be.
  if (atomic_load_explicit(&status_offset, memory_order_relaxed)) return;
  for (size_t offset = 0x30; offset <= 0x60; offset += sizeof(void *)) {
    if (*(void **)((char *)task + offset) != context) continue;
    atomic_store_explicit(&context_offset, offset, memory_order_relaxed);
    // The words in between may be uninitialised.
    uintptr_t status = *(uintptr_t *)((char *)task + offset + status_distance);
    bool is_status = (status & 0xff) == (swift_task_getJobFlags(task) >> 8 & 0xff) &&
                     !(status & ~(uintptr_t)status_known);
    if (is_status) {
      atomic_store_explicit(&status_offset, offset + status_distance, memory_order_relaxed);
    }
    return;
  }
}

bool sleepless_can_run(void *task) {
  size_t offset = atomic_load_explicit(&status_offset, memory_order_relaxed);
  if (!offset) return false;
  uintptr_t status = __atomic_load_n((uintptr_t *)((char *)task + offset), __ATOMIC_ACQUIRE);
  return status & (status_running | status_enqueued);
}

int sleepless_suspended_frames(void *task, const void **frames, int capacity) {
  size_t offset = atomic_load_explicit(&context_offset, memory_order_relaxed);
  if (!offset || capacity < 1) return 0;
  int count = 0;
  frames[count++] = *(void **)((char *)task + offset - sizeof(void *));
  async_context *context = *(async_context **)((char *)task + offset);
  while (context && count < capacity) {
    if (!context->resume_parent) break;
    frames[count++] = (void *)context->resume_parent;
    context = context->parent;
  }
  return count;
}

int sleepless_copied_frames(
    void *task, const void **frames, int capacity, sleepless_reader read) {
  uintptr_t offset = atomic_load_explicit(&context_offset, memory_order_relaxed);
  uintptr_t at = (uintptr_t)task + offset, context, words[2];
  if (!offset || capacity < 1 || !read(at - 8, frames, 8)) return 0;
  int count = 1;
  if (!read(at, &context, 8)) return count;
  while (context && count < capacity && read(context, words, 16) && words[1]) {
    frames[count++] = (void *)words[1];
    context = words[0];
  }
  return count;
}

enum { kind_of_context = 0x400 };

/// As `sleepless_captured`, searching captured closures down to `depth`.
static const void *captured(
    const void *context, const void *class_metadata, int depth, sleepless_reader read) {
  const uintptr_t *words = context;
  size_t count = malloc_usable_size((void *)context) / sizeof *words;
  // The captures follow the type and the reference counts. Not all of them are references.
  for (size_t i = 2; i < count; i++) {
    const uintptr_t *type;
    uintptr_t kind = 0;
    bool is_object = words[i] % sizeof type == 0 && read(words[i], &type, sizeof type);
    if (!is_object) continue;
    if (type == class_metadata) return (const void *)words[i];
    bool is_closure = read((uintptr_t)type, &kind, sizeof kind) &&
                      kind == kind_of_context && depth > 0;
    const void *found =
        is_closure ? captured((const void *)words[i], class_metadata, depth - 1, read) : NULL;
    if (found) return found;
  }
  return NULL;
}

const void *sleepless_captured(
    const void *context, const void *class_metadata, sleepless_reader read) {
  return context ? captured(context, class_metadata, 2, read) : NULL;
}

// The cancellation of a task

#define TASK_CANCEL "$sScT6cancelyyF"

typedef SWIFT_CALL void (*cancel_function)(
    void *task, const void *success, const void *failure, const void *conformance);

STAND_IN SWIFT_CALL void sleepless_task_cancel(
    void *task, const void *success, const void *failure, const void *conformance) __asm__(TASK_CANCEL);
SWIFT_CALL void sleepless_task_cancel(
    void *task, const void *success, const void *failure, const void *conformance) {
  if (sleepless_sampling) sleepless_sampling->cancelled_task = task;
  const sleepless_context *executor_context = sleepless_current_context();
  if (executor_context && sleepless_asks.task_is_cancelled) {
    sleepless_asks.task_is_cancelled(executor_context->owner, task);
  }
  REAL(cancel_function, TASK_CANCEL)(task, success, failure, conformance);
}

// Creating tasks

typedef struct option_record {
  size_t flags;  // the lowest byte is the kind
  struct option_record *next;
} option_record;

// Kind 0, the actor that a task starts on, is no preference: between its hops the task is the simulation's.
enum {
  kind_start = 0,
  kind_async_let = 3,
  kind_executor_unowned = 5,
  kind_executor_owned = 6,
  kind_name = 7
};
// `TaskCreateFlags` in the runtime's MetadataValues.h.
enum { flag_is_child_task = 1 << 8, flag_copies_locals = 1 << 10, flag_enqueue = 1 << 12 };

typedef struct {
  option_record base;
  sleepless_executor executor;
} executor_record;

typedef struct {
  option_record base;
  const char *name;
} name_record;

typedef struct {
  option_record base;
  void *async_let;
  void *result;
} async_let_record;

typedef struct {
  void *task;
  async_context *context;
} task_and_context;

typedef SWIFT_CALL task_and_context (*create_function)(
    size_t flags, option_record *options, const void *type, void *code, void *context);
static const sleepless_context *(*find_context)(void);
static create_function real_create;

typedef struct {
  bool is_child;
  /// The record of the executor that the task prefers, if there is one.
  executor_record *preference;
  /// The record of the actor that the task starts on, if there is one.
  executor_record *start;
  const char *name;
} task_options;

/// Notes a creation and makes the task.
static task_and_context sample_creation(
    size_t flags, option_record *options, const void *type, void *code, void *context);

/// Makes a new task prefer an executor: in the record that it was given, which has none, or else in a new record. The
/// task releases the executor of an owned record when it ends.
static void add_preference(
    const task_options *given, option_record **options, executor_record *new_record, sleepless_executor executor) {
  if (!given->preference) {
    *new_record = (executor_record){{kind_executor_owned, *options}, executor};
    *options = &new_record->base;
  } else {
    given->preference->executor = executor;
    if ((given->preference->base.flags & 0xff) == kind_executor_unowned) return;
  }
  swift_retain((void *)executor.identity);
}

static task_options read_options(size_t flags, option_record *options) {
  task_options found = {flags & flag_is_child_task, NULL, NULL, NULL};
  for (option_record *record = options; record; record = record->next) {
    switch (record->flags & 0xff) {
    case kind_start: found.start = (executor_record *)record; break;
    case kind_executor_unowned:
    case kind_executor_owned: found.preference = (executor_record *)record; break;
    case kind_async_let: found.is_child = true; break;
    case kind_name: found.name = ((name_record *)record)->name; break;
    }
  }
  return found;
}

/// A creation of a task: its arguments, and its results.
typedef struct {
  size_t flags;
  option_record *options;
  const void *type;
  void *code;
  void *context;
  task_and_context made;
  void *first_job;
} task_creation;

static void make(task_creation *creation) {
  first_job_place = &creation->first_job;
  creation->made = real_create(
      creation->flags, creation->options, creation->type, creation->code, creation->context);
  first_job_place = NULL;
}

static task_and_context sample_creation(
    size_t flags, option_record *options, const void *type, void *code, void *context) {
  sleepless_sample *sample = sleepless_sampling;
  task_options given = read_options(flags, options);
  const void *preference = given.preference ? given.preference->executor.identity : NULL;
  executor_record new_record;
  if (sleepless_sample_preference.identity && !preference && !given.is_child) {
    preference = sleepless_sample_preference.identity;
    add_preference(&given, &options, &new_record, sleepless_sample_preference);
  }
  bool is_detached = !given.is_child && !(flags & flag_copies_locals);
  sample->is_child = flags & flag_is_child_task;
  sample->copies_locals = flags & flag_copies_locals;
  sample->is_enqueued = flags & flag_enqueue;
  sample->is_async_let = given.is_child && !sample->is_child;
  sample->preference = preference;
  sample->start = given.start ? given.start->executor.identity : NULL;
  strncpy(sample->name, given.name ? given.name : "", sizeof sample->name - 1);
  bool is_kept = !preference && !given.is_child;
  if (is_kept) flags &= ~(size_t)flag_enqueue;
  if (is_detached && sleepless_sample_adds_locals) flags |= flag_copies_locals;
  // An executor could run the task to its end before this returns.
  task_creation creation = {flags, options, type, code, context, {NULL, NULL}, NULL};
  make(&creation);
  task_and_context made = creation.made;
  // The runtime does this when it enqueues a task.
  if (is_kept) swift_retain(made.task);
  sample->task = made.task;
  sample->creation_count++;
  learn_layout(made.task, made.context);
  sample->has_context = atomic_load(&context_offset) != 0;
  sample->has_status = atomic_load(&status_offset) != 0;
  sample->ends_in_runtime = sleepless_is_of_runtime((uintptr_t)made.context->resume_parent);
  if (sample->ends_in_runtime) watch_end(made.context);
  if (creation.first_job) swift_task_enqueue(creation.first_job, NULL, 0);
  return made;
}

/// As `make`, for a detached task, which gets the task-local values of the task that runs this.
///
/// The values could not be added later. A task's own memory is allocated last in, first out, and by then it
/// holds the record of the executor that the task prefers.
static void make_with_locals(void *argument) {
  task_creation *creation = argument;
  creation->flags |= flag_copies_locals;
  make(creation);
}

STAND_IN SWIFT_CALL task_and_context swift_task_create(
    size_t flags, option_record *options, const void *type, void *code, void *context) {
  if (!real_create) real_create = (create_function)dlsym(RTLD_NEXT, "swift_task_create");
  if (sleepless_sampling) return sample_creation(flags, options, type, code, context);
  const sleepless_context *executor_context = sleepless_current_context();
  if (!executor_context && !find_context) return real_create(flags, options, type, code, context);

  task_options given = read_options(flags, options);
  // `executorPreference: nil`, and `Task.immediate` without one, give a record without an executor.
  bool has_preference = given.preference && given.preference->executor.identity;
  bool is_found = !executor_context && !given.is_child && !has_preference;
  if (is_found) executor_context = find_context();
  bool is_elsewhere =
      executor_context && has_preference && given.preference->executor.identity != executor_context->executor.identity;
  if (!executor_context || is_elsewhere) return real_create(flags, options, type, code, context);

  // retain: the task may end on another thread before this function returns. `find_context` has retained
  // its result already.
  if (!is_found) swift_retain((void *)executor_context->executor.identity);
  executor_record new_record;
  if (!given.is_child && !has_preference) {  // a child inherits its parent's preference
    add_preference(&given, &options, &new_record, executor_context->executor);
  }
  // The executor of the first job may run it at once, to the task's end. So the runtime's enqueue is
  // intercepted until `task_was_made` has been called: by `sleepless_takes_first_job`, which the capturing
  // executor calls, and the actor hook for a task that starts on an actor. Then the job is enqueued again.
  sleepless_executor start = {NULL, 0};
  uintptr_t hook = atomic_load(&sleepless_actor_hook);
  if (given.start) {
    start = given.start->executor;
    start.implementation = sleepless_known_as(executor_context, start.identity, start.implementation);
    if (start.identity && hook) given.start->executor.implementation = hook;
  }
  task_creation creation = {flags, options, type, code, context, {NULL, NULL}, NULL};
  bool is_detached = !given.is_child && !(flags & flag_copies_locals);
  void *owner = executor_context->owner;
  bool is_made = is_detached && sleepless_asks.makes_detached(owner, make_with_locals, &creation);
  if (!is_made) make(&creation);
  task_and_context made = creation.made;
  void *first_job = creation.first_job;
  learn_layout(made.task, made.context);
  watch_end(made.context);
  bool starts_here = first_job && (!start.identity || start.implementation == hook);
  sleepless_asks.task_was_made(owner, made.task, given.name, code, context, starts_here);
  if (first_job) {
    const sleepless_context *outer = sleepless_thread_state.starting;
    sleepless_thread_state.starting = executor_context;
    swift_task_enqueue(first_job, start.identity, start.implementation);
    sleepless_thread_state.starting = outer;
  }
  swift_release((void *)executor_context->executor.identity);
  return made;
}

typedef SWIFT_CALL void (*async_let_function)(
    void *async_let, option_record *options, const void *type, void *code, void *context, void *result);
static _Atomic(async_let_function) real_async_let;

__attribute__((noinline)) static async_let_function find_async_let(void) {
  async_let_function real = (async_let_function)dlsym(RTLD_NEXT, "swift_asyncLet_begin");
  atomic_store_explicit(&real_async_let, real, memory_order_relaxed);
  return real;
}

// The runtime creates the task of an `async let` without a call of `swift_task_create`. For a task of a
// context, this calls it with the arguments that the runtime's function makes.
STAND_IN SWIFT_CALL void swift_asyncLet_begin(
    void *async_let, option_record *options, const void *type, void *code, void *context,
    void *result) {
  async_let_function real = atomic_load_explicit(&real_async_let, memory_order_relaxed);
  if (!real) real = find_async_let();
  if (!sleepless_sampling && !sleepless_current_context()) {
    return real(async_let, options, type, code, context, result);
  }
  async_let_record record = {{kind_async_let, options}, async_let, result};
  swift_task_create(flag_enqueue, &record.base, type, code, context);
}

// Another library may define a function first, or the runtime may be linked into the program.
bool sleepless_stands_in(void) {
  return is_first("swift_task_create", swift_task_create) &&
         is_first("swift_asyncLet_begin", swift_asyncLet_begin) &&
         is_first(TASK_CANCEL, sleepless_task_cancel) && sleepless_stands_in_for_hops() &&
         sleepless_stands_in_for_clocks();
}

sleepless_executor sleepless_preferred_executor(void) {
  return swift_task_getCurrent() ? swift_task_getPreferredTaskExecutor() : (sleepless_executor){NULL, 0};
}

void sleepless_run_sampled_task(void *task, sleepless_executor executor) {
  swift_job_run_on_task_executor(task, executor.identity, executor.implementation);
}

void sleepless_set_context_for_task(const sleepless_context *(*find)(void)) { find_context = find; }

#else

bool sleepless_stands_in(void) { return false; }
sleepless_executor sleepless_preferred_executor(void) { return (sleepless_executor){NULL, 0}; }
void sleepless_run_sampled_task(void *task, sleepless_executor executor) {}
void sleepless_set_context_for_task(const sleepless_context *(*find)(void)) { (void)find; }
int sleepless_suspended_frames(void *task, const void **frames, int capacity) { return 0; }
bool sleepless_can_run(void *task) { return false; }
int sleepless_copied_frames(
    void *task, const void **frames, int capacity, sleepless_reader read) {
  return 0;
}
const void *sleepless_captured(
    const void *context, const void *class_metadata, sleepless_reader read) {
  return NULL;
}

#endif
