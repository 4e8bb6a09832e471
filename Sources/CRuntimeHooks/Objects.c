// The end of objects: whether an object still exists, and news of deallocations; Linux only.
//
// The dynamic linker finds this definition of `swift_deallocClassInstance` first, for the program and for the libraries
// that it loads.

#define _GNU_SOURCE  // dlsym(RTLD_NEXT)
#include "CRuntimeHooks.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
extern bool swift_isDeallocating(void *object);
extern void swift_deallocObject(void *object, size_t size, size_t alignment);
extern size_t swift_retainCount(void *object);

void sleepless_hold_memory(const void *object) { swift_unownedRetain((void *)object); }
void sleepless_release_memory(const void *object) { swift_unownedRelease((void *)object); }
bool sleepless_is_deinitializing(void *object) { return swift_isDeallocating(object); }

static bool has_immortal_count(uint64_t bits) {
  return (uint32_t)bits == UINT32_MAX && (bits >> 63);
}

bool sleepless_is_immortal(void *object) {
  return has_immortal_count(atomic_load((_Atomic(uint64_t) *)object + 1));
}

typedef void (*dealloc_function)(void *object, size_t size, size_t alignment);
static _Atomic(dealloc_function) real_dealloc;
static _Atomic(int) watcher_count;

__attribute__((noinline)) static dealloc_function find_dealloc(void) {
  dealloc_function real = (dealloc_function)dlsym(RTLD_NEXT, "swift_deallocClassInstance");
  if (!real) real = swift_deallocObject;  // the runtime is part of the program
  atomic_store_explicit(&real_dealloc, real, memory_order_relaxed);
  return real;
}

// A deallocation only wakes the thread that waits for it. That thread's code must not run here: a
// deallocation may be in the middle of any other code, which may hold locks.
static sem_t some_object_ended;
static _Atomic(bool) is_waiter_woken;

__attribute__((noinline)) static void wake_waiter(void) {
  if (!atomic_exchange(&is_waiter_woken, true)) sem_post(&some_object_ended);
}

// Compiled code calls this for each deallocation of an object of a class, so it must be fast.
__attribute__((weak, visibility("default"))) void swift_deallocClassInstance(
    void *object, size_t size, size_t alignment) {
  dealloc_function real = atomic_load_explicit(&real_dealloc, memory_order_relaxed);
  if (!real) real = find_dealloc();
  real(object, size, alignment);
  if (__builtin_expect(atomic_load_explicit(&watcher_count, memory_order_seq_cst), 0)) wake_waiter();
}

bool sleepless_can_watch(void) {
  return dlsym(RTLD_DEFAULT, "swift_deallocClassInstance") == (void *)swift_deallocClassInstance &&
         dlsym(RTLD_NEXT, "swift_deallocClassInstance");
}

static void make_semaphore(void) { sem_init(&some_object_ended, 0, 0); }

/// Called before the first post: a later initialisation would take the post back, and no other would follow.
static void prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_semaphore);
}

void sleepless_begin_watching(void) {
  prepare();
  atomic_fetch_add(&watcher_count, 1);
}

void sleepless_end_watching(void) { atomic_fetch_sub(&watcher_count, 1); }

void sleepless_wait_for_end(void) {
  while (sem_wait(&some_object_ended) != 0) continue;
  atomic_store(&is_waiter_woken, false);
}

void sleepless_wake(void) {
  prepare();
  wake_waiter();
}

bool sleepless_tells_end(void (*body)(void)) {
  sleepless_begin_watching();
  body();
  bool is_told = atomic_load(&is_waiter_woken);
  if (is_told) sleepless_wait_for_end();
  sleepless_end_watching();
  return is_told;
}

#else

void sleepless_hold_memory(const void *object) {}
void sleepless_release_memory(const void *object) {}
bool sleepless_is_deinitializing(void *object) { return false; }
bool sleepless_can_watch(void) { return false; }
void sleepless_begin_watching(void) {}
void sleepless_end_watching(void) {}
void sleepless_wait_for_end(void) {}
void sleepless_wake(void) {}
bool sleepless_is_immortal(void *object) { return false; }
bool sleepless_tells_end(void (*body)(void)) { return false; }

#endif
