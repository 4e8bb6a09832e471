// What the public interface of the concurrency runtime does not offer, on Linux.
//
// The runtime asks for a new task with `swift_task_create`. The definition here is the one that the
// dynamic linker finds first, for the program and for the libraries it loads, so this file sees
// every task being made, except those that the runtime makes for itself. The same holds for
// `clock_gettime`, which the standard library's clocks read.
//
// Relied upon, and stable because compiled code relies on it too: the arguments and results of
// `swift_task_create` and `swift_asyncLet_begin`, the task option records, and that an async
// function's context begins with its caller's context and the function to return through.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT), dl_iterate_phdr
#include "CSleepless.h"

#include <stddef.h>

static _Thread_local const sleepless_world *current;
static _Thread_local bool is_making_task;

const sleepless_world *sleepless_enter(const sleepless_world *world) {
  const sleepless_world *previous = current;
  current = world;
  return previous;
}

bool sleepless_is_making_task(void) { return is_making_task; }

void *sleepless_current(void) { return current ? current->simulation : 0; }

#define SWIFT_CALL __attribute__((swiftcall))

extern void swift_release(void *object);
extern size_t swift_retainCount(void *object);
extern SWIFT_CALL void *swift_task_getCurrent(void);
extern SWIFT_CALL size_t swift_task_getJobFlags(void *job);
extern SWIFT_CALL void swift_task_cancel(void *task);

void *sleepless_current_task(void) { return swift_task_getCurrent(); }

bool sleepless_is_task(void *job) { return (swift_task_getJobFlags(job) & 0xff) == 0; }

void sleepless_cancel_task(void *task) { swift_task_cancel(task); }

void sleepless_drop_other_holds(void *context) {
  while (context && swift_retainCount(context) > 1) swift_release(context);
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
#include <stdatomic.h>
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

enum { kind_async_let = 3, kind_executor_unowned = 5, kind_executor_owned = 6, kind_name = 7 };
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

extern void *swift_retain(void *object);

static sleepless_hooks hooks;
static create_function real_create;
static _Atomic(clock_function) real_clock;
static uintptr_t runtime_start, runtime_end;  // the code of the concurrency runtime

// The end of a task
//
// A task's first context returns through a function of the runtime that completes the task. There
// are a few of these, for each kind of closure; each gets a twin here that tells of the end and goes
// on to it.

enum { ending_count = 8 };
static _Atomic(resume_function) endings[ending_count];

static void tell_of_end(void) {
  if (hooks.task_has_ended) hooks.task_has_ended(sleepless_current(), swift_task_getCurrent());
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

/// Makes a task tell of its end; false if there are more kinds of ending than expected.
static bool watch_end(async_context *context) {
  resume_function ending = context->resume_parent;
  for (int i = 0; i < ending_count; i++) {
    resume_function known = NULL;
    if (atomic_compare_exchange_strong(&endings[i], &known, ending) || known == ending) {
      context->resume_parent = twins[i];
      return true;
    }
  }
  return false;
}

// What a suspended task waits in
//
// A task holds the function that it will go on with and that function's context. Where it holds them
// is learnt from the first task, which is to go on with the context that it was made with.

static _Atomic(size_t) context_offset;

static void learn_layout(void *task, async_context *context) {
  if (atomic_load_explicit(&context_offset, memory_order_relaxed)) return;
  for (size_t offset = 0x30; offset <= 0x60; offset += sizeof(void *)) {
    if (*(void **)((char *)task + offset) != context) continue;
    atomic_store_explicit(&context_offset, offset, memory_order_relaxed);
    return;
  }
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

// Making tasks

static void tell_of_task(void *task, async_context *context, const char *name, const void *code) {
  learn_layout(task, context);
  if (watch_end(context) && hooks.task_was_made) {
    hooks.task_was_made(current->simulation, task, name, code);
  }
}

STAND_IN SWIFT_CALL task_and_context swift_task_create(
    size_t flags, option_record *options, const void *type, void *code, void *context) {
  if (!real_create) real_create = (create_function)dlsym(RTLD_NEXT, "swift_task_create");
  if (!current) return real_create(flags, options, type, code, context);
  const char *name = NULL;
  bool has_preference = flags & flag_is_child_task;  // a child has its parent's
  bool is_ours = true;
  for (option_record *record = options; record; record = record->next) {
    switch (record->flags & 0xff) {
    case kind_executor_unowned:
    case kind_executor_owned:
      has_preference = true;
      is_ours = ((executor_record *)record)->executor.identity == current->executor.identity;
      break;
    case kind_async_let: has_preference = true; break;
    case kind_name: name = ((name_record *)record)->name; break;
    }
  }
  if (!is_ours) return real_create(flags, options, type, code, context);
  executor_record preference = {{kind_executor_owned, options}, current->executor};
  if (!has_preference) {
    swift_retain((void *)current->executor.identity);
    options = &preference.base;
  }
  is_making_task = true;
  task_and_context made = real_create(flags, options, type, code, context);
  is_making_task = false;
  tell_of_task(made.task, made.context, name, code);
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
  int64_t seconds = time->tv_sec, nanoseconds = time->tv_nsec;
  hooks.clock_is_read(current->simulation, clock, &seconds, &nanoseconds);
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
  if (!current) return real(clock, time);
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

void sleepless_install(sleepless_hooks new_hooks) {
  void *create = dlsym(RTLD_NEXT, "swift_task_create");
  if (create) dl_iterate_phdr(find_runtime, create);
  hooks = new_hooks;
}

#else

bool sleepless_can_capture(void) { return false; }
void sleepless_install(sleepless_hooks hooks) { (void)hooks; }
int sleepless_suspended_frames(void *task, const void **frames, int capacity) { return 0; }

#endif
