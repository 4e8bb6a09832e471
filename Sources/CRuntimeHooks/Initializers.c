// The global variable whose initializer runs on this thread; Linux only.
//
// The first use of a global or static variable runs its initializer, which `swift_once` calls. All initializers return
// to the same address in `swift_once`, or in a function that it calls. A call of our own learns that address.

#define _GNU_SOURCE  // pthread_getattr_np
#include "Runtime.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <pthread.h>

extern void swift_once(void *token, void (*body)(void *), void *context);

static _Atomic(uintptr_t) end_of_initializers;

static void learn(void *context) {
  atomic_store_explicit(
      &end_of_initializers, (uintptr_t)__builtin_return_address(0), memory_order_relaxed);
}

/// A function's frame on the stack.
typedef struct frame {
  const struct frame *caller;
  uintptr_t return_address;
} frame;

/// Where this thread's stack ends: above its outermost frame; 0 if that is unknown.
static uintptr_t find_stack_end(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void *start = NULL;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)start + size;
}

// Swift's code, and this package's, keep the frame pointer. Other code may use the register for something else. Then
// the walk ends early, or reads other words of the stack; it always goes outwards, and stays on the stack.
__attribute__((no_sanitize("address", "thread"))) const void *sleepless_running_initializer(void) {
  static _Thread_local uintptr_t stack_end;
  static long token;
  uintptr_t end = atomic_load_explicit(&end_of_initializers, memory_order_relaxed);
  if (!end) {
    swift_once(&token, learn, NULL);
    end = atomic_load_explicit(&end_of_initializers, memory_order_relaxed);
  }
  // The code of a job ends at the call that runs the job.
  uintptr_t last = (uintptr_t)sleepless_thread_state.job_frame;
  if (!last) {
    if (!stack_end) stack_end = find_stack_end();
    last = stack_end;
  }
  const frame *current = __builtin_frame_address(0);
  uintptr_t code = 0;  // in the function of the current frame
  while ((uintptr_t)(current + 1) <= last) {
    if (current->return_address == end) return (const void *)code;
    code = current->return_address;
    const frame *caller = current->caller;
    if (caller <= current || (uintptr_t)caller % sizeof(void *) != 0) break;
    current = caller;
  }
  return NULL;
}

#else

const void *sleepless_running_initializer(void) { return NULL; }

#endif
