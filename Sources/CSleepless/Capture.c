// What the public interface of the concurrency runtime does not offer, on Linux.
//
// The runtime asks for a new task with `swift_task_create`. The definition here is the one that the
// dynamic linker finds first, for the program and for the libraries it loads, so this file sees
// every task being made, except those that the runtime makes for itself. The same holds for
// `clock_gettime`, which the standard library's clocks read.
//
// Relied upon, and stable because compiled code relies on it too: the arguments and results of
// `swift_task_create`, `swift_asyncLet_begin` and `swift_task_switch`, the task option records, and
// that an async function's context begins with its caller's context and the function to return
// through.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT), dl_iterate_phdr
#include "CSleepless.h"

#include <stdatomic.h>
#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

extern void swift_release(void *object);
extern void *swift_retain(void *object);
extern void *swift_tryRetain(void *object);
extern void *swift_unownedRetain(void *object);
extern void *swift_initStackObject(void *metadata, void *object);
extern size_t swift_retainCount(void *object);
extern SWIFT_CALL void *swift_task_getCurrent(void);
extern SWIFT_CALL size_t swift_task_getJobFlags(void *job);
extern SWIFT_CALL void swift_task_cancel(void *task);

static _Thread_local const sleepless_world *current;
/// The task that drives the simulation on this thread, if a task does: not one of the simulation's,
/// but what it does it does for the simulation.
static _Thread_local void *driver;
/// The task of the simulation's that it runs there, as its next job.
static _Thread_local void *driven_task;
/// The world of the new task that this thread enqueues at the moment.
static _Thread_local const sleepless_world *starting;
/// Where this thread puts the task that it is making, instead of enqueueing it.
static _Thread_local void **held_back;
static _Atomic(int) world_count;
static _Atomic(uintptr_t) implementation;  // what marks an executor as one of ours

const sleepless_world *sleepless_enter(const sleepless_world *world) {
  const sleepless_world *previous = current;
  current = world;
  if (world) driver = swift_task_getCurrent();
  return previous;
}

const sleepless_world *sleepless_driven(void) { return current; }

void sleepless_begin(const sleepless_world *world) {
  atomic_store(&implementation, world->executor.implementation);
  atomic_fetch_add(&world_count, 1);
}

void sleepless_close(sleepless_world *world) {
  __atomic_store_n(&world->captures, false, __ATOMIC_RELAXED);
}

void sleepless_end(void) { atomic_fetch_sub(&world_count, 1); }

extern SWIFT_CALL void swift_job_run_on_task_executor(
    void *job, const void *identity, uintptr_t implementation);
extern SWIFT_CALL void swift_job_run_on_serial_and_task_executor(
    void *job, const void *serial_identity, uintptr_t serial_implementation,
    const void *task_identity, uintptr_t task_implementation);

void sleepless_run(const sleepless_world *world, void *job, sleepless_executor serial) {
  sleepless_executor preferred = world->executor;
  void *outer = driven_task;
  driven_task = job;
  if (serial.identity) {
    swift_job_run_on_serial_and_task_executor(
        job, serial.identity, serial.implementation, preferred.identity, preferred.implementation);
  } else {
    swift_job_run_on_task_executor(job, preferred.identity, preferred.implementation);
  }
  driven_task = outer;
}

void *sleepless_current_task(void) { return swift_task_getCurrent(); }

// The runtime's kinds of job that drain an actor (Swift 6.3).
bool sleepless_is_service(void *job) {
  size_t kind = swift_task_getJobFlags(job) & 0xff;
  return kind >= 192 && kind <= 194;
}

bool sleepless_is_task(void *job) { return (swift_task_getJobFlags(job) & 0xff) == 0; }

bool sleepless_holds_back(void *job) {
  if (!held_back || !sleepless_is_task(job)) return false;
  *held_back = job;
  return true;
}

void sleepless_cancel_task(void *task) { swift_task_cancel(task); }

bool sleepless_try_hold(const void *object) { return swift_tryRetain((void *)object) != NULL; }

void sleepless_release(const void *object) { swift_release((void *)object); }

size_t sleepless_drop_other_holds(void *context) {
  size_t holds = context ? swift_retainCount(context) : 0;
  if (holds < 2) return 0;
  swift_unownedRetain(context);  // its memory remains
  for (size_t i = 1; i < holds; i++) swift_release(context);
  return holds - 1;
}

void sleepless_restore_holds(void *context, size_t holds) {
  if (holds) swift_initStackObject(*(void **)context, context);
  for (size_t i = 0; i < holds; i++) swift_retain(context);
}

#if defined(__linux__) || defined(__APPLE__)
#include <dlfcn.h>

bool sleepless_locate(
    const void *address, const char **file, uintptr_t *offset, const char **name) {
  Dl_info info;
  if (!dladdr(address, &info)) return false;
  *file = info.dli_fname;
  *offset = (uintptr_t)address - (uintptr_t)info.dli_fbase;
  *name = info.dli_sname;
  return true;
}
#else
bool sleepless_locate(
    const void *address, const char **file, uintptr_t *offset, const char **name) {
  return false;
}
#endif

#if defined(__linux__) && defined(__LP64__) && __has_attribute(swiftasynccall)

#include <link.h>
#include <time.h>

#define SWIFT_ASYNC_CALL __attribute__((swiftasynccall))
#define SWIFT_ASYNC_CONTEXT __attribute__((swift_async_context))
#define SWIFT_CONTEXT __attribute__((swift_context))
// Weak, so that a program with the runtime linked into it keeps the runtime's own definition.
#define STAND_IN __attribute__((weak, visibility("default")))

typedef SWIFT_ASYNC_CALL void (*resume_function)(
    SWIFT_ASYNC_CONTEXT void *context, SWIFT_CONTEXT void *error);

typedef struct async_context {
  struct async_context *parent;
  resume_function resume_parent;
} async_context;

typedef struct option_record {
  size_t flags;  // the lowest byte is the kind
  struct option_record *next;
} option_record;

// Kind 0, the actor that a task begins on, is no preference: between its hops the task is ours.
enum {
  kind_start = 0,
  kind_async_let = 3,
  kind_executor_unowned = 5,
  kind_executor_owned = 6,
  kind_name = 7
};
enum { flag_is_child_task = 1 << 8, flag_enqueue = 1 << 12 };

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
typedef int (*clock_function)(clockid_t clock, struct timespec *time);

extern SWIFT_CALL sleepless_executor swift_task_getPreferredTaskExecutor(void);

static sleepless_hooks hooks;
static const sleepless_world *(*find_world)(void);
static create_function real_create;
static _Atomic(clock_function) real_clock;
static uintptr_t runtime_start, runtime_end;  // the code of the concurrency runtime

// Whose code runs
//
// The thread tells, mostly. But an actor may be shared, by simulations side by side or with code that
// is no simulation's, and then it serves all who wait for it in one go, on one thread. So the task
// has the last word: by the executor that it prefers.

static const sleepless_world *capturing(const sleepless_world *world) {
  return world && __atomic_load_n(&world->captures, __ATOMIC_RELAXED) ? world : NULL;
}

const sleepless_world *sleepless_captor(void) {
  if (starting) return starting;
  if (!atomic_load_explicit(&world_count, memory_order_relaxed)) return NULL;
  void *task = swift_task_getCurrent();
  if (!task || (current && (task == driver || task == driven_task))) return capturing(current);
  sleepless_executor preferred = swift_task_getPreferredTaskExecutor();
  if (!preferred.identity) return NULL;
  if (current && preferred.identity == current->executor.identity) return capturing(current);
  if (preferred.implementation != atomic_load(&implementation) || !hooks.world_of) return NULL;
  return capturing(hooks.world_of(preferred.identity));
}

// Actors
//
// An actor is one object, however many simulations use it, and whoever leaves it lets in the next on
// its own thread. So a simulation's tasks do not wait in the actor's own queue. They are sent to the
// actor under another table of functions, ours, as if it had an executor of its own: for the runtime
// an executor is whatever object it is, so the code there still finds itself on the actor. Such a task
// comes to its simulation, which has it wait for its turn. Then a visitor of ours, which is no task,
// enters the actor itself, and the task runs while the visitor is there.

typedef SWIFT_ASYNC_CALL void (*switch_function)(
    SWIFT_ASYNC_CONTEXT void *context, resume_function resume, const void *identity,
    uintptr_t implementation);

static _Atomic(switch_function) real_switch;
static _Atomic(uintptr_t) gate;  // the table of functions

extern SWIFT_CALL void swift_task_enqueue(
    void *job, const void *identity, uintptr_t implementation);
extern SWIFT_CALL void swift_job_run(void *job, const void *identity, uintptr_t implementation);
extern SWIFT_CALL void *swift_task_createNullaryContinuationJob(size_t priority, void *continuation);

/// How a task of that world knows an executor. Actors with an executor of their own have a table.
static uintptr_t implementation_within(
    const sleepless_world *world, const void *identity, uintptr_t implementation) {
  bool is_actor = identity && !implementation;
  return is_actor && world && world->has_clocks ? atomic_load(&gate) : implementation;
}

__attribute__((noinline)) static switch_function find_switch(void) {
  switch_function real = (switch_function)dlsym(RTLD_NEXT, "swift_task_switch");
  atomic_store_explicit(&real_switch, real, memory_order_relaxed);
  return real;
}

/// Where a task goes that is no simulation's and leaves an actor which a simulation's thread serves.
/// The runtime would have it go on on that thread.
static sleepless_executor way_out;

static bool is_guest(void) {
  return swift_task_getCurrent() != driver && !swift_task_getPreferredTaskExecutor().identity;
}

/// Whether the program's code has left the actor that this thread visits. The runtime's own functions
/// go away from an actor and back to it without passing here.
static _Thread_local bool leaves_actor;

bool sleepless_leaves_actor(void) { return leaves_actor; }

// Every `await` that goes to another actor or back passes here.
STAND_IN SWIFT_ASYNC_CALL void swift_task_switch(
    SWIFT_ASYNC_CONTEXT void *context, resume_function resume, const void *identity,
    uintptr_t implementation) {
  switch_function real = atomic_load_explicit(&real_switch, memory_order_relaxed);
  if (!real) real = find_switch();
  if (!implementation && atomic_load_explicit(&world_count, memory_order_relaxed)) {
    if (identity) {
      implementation = implementation_within(sleepless_captor(), identity, 0);
    } else if (current) {
      leaves_actor = true;
      if (is_guest()) {
        identity = way_out.identity;
        implementation = way_out.implementation;
      }
    }
  }
  __attribute__((musttail)) return real(context, resume, identity, implementation);
}

typedef struct {
  void *metadata;
  size_t references;
  void *links[2];
  uint32_t flags;  // the lowest byte is the kind, the next the priority
  uint32_t number;
  void *reserved[2];
  SWIFT_ASYNC_CALL void (*run)(void *job);
} job_header;

_Static_assert(sizeof(job_header) == sizeof(((sleepless_visitor *)0)->job), "a job's size");

static job_header visitor_template;
/// Where the job goes that is to serve the actor which this thread has a visitor enter.
static _Thread_local void **service;

SWIFT_ASYNC_CALL static void run_visit(void *job) {
  sleepless_visitor *visitor = job;
  const sleepless_world *outer = current;
  void *outer_driver = driver;
  current = visitor->world;
  driver = swift_task_getCurrent();
  leaves_actor = false;
  visitor->visit(visitor->world->owner);
  // The visitor may be on its next visit by now.
  current = outer;
  driver = outer_driver;
}

/// Learns what a job looks like from one that the runtime makes, of a kind that is no task.
static bool learn_visitor(void) {
  job_header *sample = swift_task_createNullaryContinuationJob(0x15, NULL);
  visitor_template = *sample;
  uintptr_t code = (uintptr_t)sample->run;
  bool fits = (sample->flags >> 8 & 0xff) == 0x15 && (sample->flags & 0xff) != 0 &&
              code >= runtime_start && code < runtime_end;
  visitor_template.run = run_visit;
  return fits;
}

bool sleepless_open_gate(uintptr_t implementation, sleepless_executor new_way_out) {
  way_out = new_way_out;
  bool is_ours = dlsym(RTLD_DEFAULT, "swift_task_switch") == (void *)swift_task_switch;
  if (!is_ours || !find_switch() || !learn_visitor()) return false;
  atomic_store(&gate, implementation);
  return true;
}

void sleepless_visit(sleepless_visitor *visitor, const void *actor) {
  *(job_header *)visitor->job = visitor_template;
  void *job = NULL, **outer = service;
  service = &job;
  swift_task_enqueue(visitor->job, actor, 0);
  service = outer;
  // Somebody has to serve an actor that had nothing to do; it need not be somebody else.
  if (job) swift_job_run(job, NULL, 0);
}

bool sleepless_takes_service(void *job) {
  if (!service || *service) return false;
  *service = job;
  return true;
}

void sleepless_leave_to_actor(void *task, const void *actor) { swift_task_enqueue(task, actor, 0); }

// The end of a task
//
// A task's first context returns through a function of the runtime that completes the task. There
// are a few of these, for each kind of closure; each gets a twin here that tells of the end and goes
// on to it.

enum { ending_count = 8 };
static _Atomic(resume_function) endings[ending_count];

static void tell_of_end(void) {
  const sleepless_world *world = sleepless_captor();
  if (hooks.task_has_ended) hooks.task_has_ended(world ? world->owner : NULL, swift_task_getCurrent());
}

#define TWIN(index)                                                                              \
  SWIFT_ASYNC_CALL static void twin##index(                                                      \
      SWIFT_ASYNC_CONTEXT void *context, SWIFT_CONTEXT void *error) {                            \
    tell_of_end();                                                                               \
    __attribute__((musttail)) return atomic_load(&endings[index])(context, error);               \
  }
TWIN(0) TWIN(1) TWIN(2) TWIN(3) TWIN(4) TWIN(5) TWIN(6) TWIN(7)
static const resume_function twins[ending_count] = {twin0, twin1, twin2, twin3,
                                                    twin4, twin5, twin6, twin7};

/// Makes a task tell of its end, unless there are more kinds of ending than expected.
static void watch_end(async_context *context) {
  resume_function ending = context->resume_parent;
  for (int i = 0; i < ending_count; i++) {
    resume_function known = NULL;
    if (atomic_compare_exchange_strong(&endings[i], &known, ending) || known == ending) {
      context->resume_parent = twins[i];
      return;
    }
  }
}

// What a suspended task waits in
//
// A task holds the function that it will go on with and that function's context. Where it holds them
// is learnt from the first task, which is to go on with the context that it was made with.

// Four words on comes its status, a word of flags that begins with its priority (Swift 6.3).

static _Atomic(size_t) context_offset;
static _Atomic(size_t) status_offset;

enum {
  status_distance = 0x20,
  status_running = 0x800,
  status_enqueued = 0x1000,
  status_known = 0xfffff
};

static void learn_layout(void *task, async_context *context) {
  // A task that another thread has raised in priority meanwhile does not show its status; the next will.
  if (atomic_load_explicit(&status_offset, memory_order_relaxed)) return;
  for (size_t offset = 0x30; offset <= 0x60; offset += sizeof(void *)) {
    if (*(void **)((char *)task + offset) != context) continue;
    atomic_store_explicit(&context_offset, offset, memory_order_relaxed);
    // What lies between may never have been written.
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

int sleepless_copied_frames(void *task, const void **frames, int capacity) {
  uintptr_t offset = atomic_load_explicit(&context_offset, memory_order_relaxed);
  uintptr_t at = (uintptr_t)task + offset, context, words[2];
  if (!offset || capacity < 1 || !sleepless_read(at - 8, frames, 8)) return 0;
  int count = 1;
  if (!sleepless_read(at, &context, 8)) return count;
  while (context && count < capacity && sleepless_read(context, words, 16) && words[1]) {
    frames[count++] = (void *)words[1];
    context = words[0];
  }
  return count;
}

// Making tasks

typedef struct {
  bool is_child;
  /// The record that says what the task prefers, if there is one.
  executor_record *preference;
  /// The one that says which actor it begins on.
  executor_record *start;
  const char *name;
} task_options;

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

STAND_IN SWIFT_CALL task_and_context swift_task_create(
    size_t flags, option_record *options, const void *type, void *code, void *context) {
  if (!real_create) real_create = (create_function)dlsym(RTLD_NEXT, "swift_task_create");
  const sleepless_world *world = sleepless_captor();
  if (!world && !find_world) return real_create(flags, options, type, code, context);

  task_options given = read_options(flags, options);
  // `executorPreference: nil`, or `Task.immediate` without one, is a record that says nothing.
  bool has_preference = given.preference && given.preference->executor.identity;
  bool is_found = !world && !given.is_child && !has_preference;
  if (is_found) world = find_world();
  bool is_elsewhere =
      world && has_preference && given.preference->executor.identity != world->executor.identity;
  if (!world || is_elsewhere) return real_create(flags, options, type, code, context);

  // What is found comes with a reference. This one is to outlive the making: the task may end at
  // once, elsewhere.
  if (!is_found) swift_retain((void *)world->executor.identity);
  executor_record preference = {{kind_executor_owned, options}, world->executor};
  if (!given.is_child && !has_preference) {  // a child has its parent's
    swift_retain((void *)world->executor.identity);
    if (given.preference) {
      given.preference->executor = world->executor;
      if ((given.preference->base.flags & 0xff) == kind_executor_unowned) {
        swift_release((void *)world->executor.identity);
      }
    } else {
      options = &preference.base;
    }
  }
  // Whoever gets the task may run it at once, to its end. So nobody does before we know of it: not even
  // an actor or an executor of its own, in front of which stands the gate.
  sleepless_executor start = {NULL, 0};
  uintptr_t gate_now = atomic_load(&gate);
  if (given.start) {
    start = given.start->executor;
    start.implementation = implementation_within(world, start.identity, start.implementation);
    if (start.identity && gate_now) given.start->executor.implementation = gate_now;
  }
  void *first_job = NULL;
  held_back = &first_job;
  task_and_context made = real_create(flags, options, type, code, context);
  held_back = NULL;
  learn_layout(made.task, made.context);
  watch_end(made.context);
  bool comes_to_us = first_job && (!start.identity || start.implementation == gate_now);
  hooks.task_was_made(world->owner, made.task, given.name, code, comes_to_us);
  if (first_job) {
    const sleepless_world *outer = starting;
    starting = world;
    swift_task_enqueue(first_job, start.identity, start.implementation);
    starting = outer;
  }
  swift_release((void *)world->executor.identity);
  return made;
}

// The runtime makes the task of an `async let` itself, behind our back; this is all it does.
STAND_IN SWIFT_CALL void swift_asyncLet_begin(
    void *async_let, option_record *options, const void *type, void *code, void *context,
    void *result) {
  async_let_record record = {{kind_async_let, options}, async_let, result};
  swift_task_create(flag_enqueue, &record.base, type, code, context);
}

// Clocks

__attribute__((noinline)) static clock_function find_clock(void) {
  clock_function real = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
  atomic_store_explicit(&real_clock, real, memory_order_relaxed);
  return real;
}

__attribute__((noinline)) static int read_virtual_clock(
    clock_function real, clockid_t clock, struct timespec *time, uintptr_t caller) {
  int status = real(clock, time);
  // Only the standard library's clocks are virtual. Dispatch and Foundation ask for real time.
  if (!hooks.clock_is_read || caller < runtime_start || caller >= runtime_end) return status;
  const sleepless_world *world = sleepless_captor();
  if (!world || !world->has_clocks) return status;
  int64_t seconds = time->tv_sec, nanoseconds = time->tv_nsec;
  hooks.clock_is_read(world->owner, clock, &seconds, &nanoseconds);
  time->tv_sec = seconds;
  time->tv_nsec = nanoseconds;
  return status;
}

// Dispatch reads a clock several times for each job, so outside simulations this has to be short.
//
// Not weak: the thread sanitizer brings a weak one of its own, which must not come first.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) {
  clock_function real = atomic_load_explicit(&real_clock, memory_order_relaxed);
  if (!real) real = find_clock();
  if (!atomic_load_explicit(&world_count, memory_order_relaxed)) return real(clock, time);
  return read_virtual_clock(real, clock, time, (uintptr_t)__builtin_return_address(0));
}

static int find_runtime(struct dl_phdr_info *object, size_t size, void *address) {
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if ((uintptr_t)address < start || (uintptr_t)address >= start + segment->p_memsz) continue;
    runtime_start = start;
    runtime_end = start + segment->p_memsz;
    return 1;
  }
  return 0;
}

bool sleepless_can_capture(void) {
  // Somebody else may stand in front, or the runtime may be part of the program.
  return dlsym(RTLD_DEFAULT, "swift_task_create") == (void *)swift_task_create &&
         dlsym(RTLD_NEXT, "swift_task_create");
}

void sleepless_set_world_for_task(const sleepless_world *(*find)(void)) { find_world = find; }

// The linker's names for where this program's conformances lie.
extern const char __start_swift5_protocol_conformances, __stop_swift5_protocol_conformances;
extern void swift_registerProtocolConformances(const void *begin, const void *end);

void sleepless_register_conformances(void) {
  swift_registerProtocolConformances(
      &__start_swift5_protocol_conformances, &__stop_swift5_protocol_conformances);
}

void sleepless_install(sleepless_hooks new_hooks) {
  void *create = dlsym(RTLD_NEXT, "swift_task_create");
  if (create) dl_iterate_phdr(find_runtime, create);
  hooks = new_hooks;
}

#else

bool sleepless_can_capture(void) { return false; }
const sleepless_world *sleepless_captor(void) { return 0; }
void sleepless_register_conformances(void) {}
void sleepless_install(sleepless_hooks hooks) { (void)hooks; }
void sleepless_set_world_for_task(const sleepless_world *(*find)(void)) { (void)find; }
int sleepless_suspended_frames(void *task, const void **frames, int capacity) { return 0; }
bool sleepless_can_run(void *task) { return false; }
int sleepless_copied_frames(void *task, const void **frames, int capacity) { return 0; }
bool sleepless_open_gate(uintptr_t implementation, sleepless_executor way_out) { return false; }
void sleepless_visit(sleepless_visitor *visitor, const void *actor) {}
bool sleepless_takes_service(void *job) { return false; }
bool sleepless_leaves_actor(void) { return false; }
void sleepless_leave_to_actor(void *task, const void *actor) {}

#endif
