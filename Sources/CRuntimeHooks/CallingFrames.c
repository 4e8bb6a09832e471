// The functions that have called the running code, asynchronous ones included.
//
// The toolchain's own backtrace reads memory at addresses that it does not check, and so may crash the process. This
// one reads the thread's stack up to its end, and other memory by process_vm_readv. That fails where no memory is, or
// where the system forbids the call; then frames are missing.

#define _GNU_SOURCE  // pthread_getattr_np, process_vm_readv
#include "Runtime.h"

uintptr_t sleepless_stack_position(void) { return (uintptr_t)__builtin_frame_address(0); }

#ifdef SLEEPLESS_CAN_CAPTURE

#include <dlfcn.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static uintptr_t find_stack_end(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return 0;
  void *start;
  size_t size;
  int status = pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  return status ? 0 : (uintptr_t)start + size;
}

uintptr_t sleepless_stack_end(void) {
  static _Thread_local uintptr_t known;
  if (!known) known = find_stack_end();
  return known;
}

/// Reads an asynchronous function's context: that of its caller, and the function to which it returns.
static bool read_context(uintptr_t address, uintptr_t words[2]) {
  struct iovec local = {words, 2 * sizeof *words}, remote = {(void *)address, 2 * sizeof *words};
  if (!address || address % sizeof address) return false;
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)local.iov_len) return false;
  Dl_info info;
  return words[1] && dladdr((void *)words[1], &info);
}

size_t sleepless_calling_frames(sleepless_frame *frames, size_t capacity) {
  uintptr_t end = sleepless_stack_end(), frame = (uintptr_t)__builtin_frame_address(0);
  size_t count = 0;
  while (count < capacity) {
    const uintptr_t *words = (const uintptr_t *)frame;
    // The call itself: where it returns to, another line may begin.
    frames[count++] = (sleepless_frame){.address = words[1] - 1, .pointer = words[0]};
    bool is_frame = words[0] > frame && words[0] % sizeof frame == 0 && words[0] + 2 * sizeof frame <= end;
    if (!is_frame) break;
    frame = words[0];
  }
  return count;
}

size_t sleepless_waiting_frames(sleepless_frame frame, uintptr_t *addresses, size_t capacity) {
  // As in the toolchain's FramePointerUnwinder.swift: the context is in the word before the frame.
  uintptr_t context = 0, words[2];
  struct iovec local = {&context, sizeof context}, remote = {(void *)(frame.pointer - sizeof context), sizeof context};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)sizeof context) return 0;
  size_t count = 0;
  while (count < capacity && read_context(context, words)) {
    addresses[count++] = words[1];
    context = words[0];
  }
  return count;
}

#else

size_t sleepless_calling_frames(sleepless_frame *frames, size_t capacity) { return 0; }
size_t sleepless_waiting_frames(sleepless_frame frame, uintptr_t *addresses, size_t capacity) { return 0; }

#endif
