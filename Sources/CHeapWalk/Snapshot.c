// Reads this process's own memory, as it is now or as it was at one moment; Linux only.
//
// Nothing is read through a pointer, because another thread may return memory to the system at any moment. The system
// copies pages, and reports an error for missing ones.
//
// The memory of one moment is that of a child process, which waits until it is killed. The kernel copies no memory for
// it at first: it makes the pages read-only, and copies a page when one of the two processes writes to it. What another
// thread writes meanwhile is either in the snapshot, or waits until all pages are read-only: the kernel's dup_mmap
// holds mmap_lock, and drops the processors' copies of page tables before it releases that lock. Memory that both
// processes share is read as it is.

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// A read may end before a page that is not readable. Both ways to read return what comes before it.

static size_t copy_by_call(pid_t process, uintptr_t address, void *bytes, size_t size) {
  struct iovec local = {bytes, size}, remote = {(void *)address, size};
  ssize_t count = process_vm_readv(process, &local, 1, &remote, 1, 0);
  return count < 0 ? 0 : (size_t)count;
}

static size_t copy_from_file(int file, uintptr_t address, void *bytes, size_t size) {
  ssize_t count = file < 0 ? -1 : pread(file, bytes, size, (off_t)address);
  return count < 0 ? 0 : (size_t)count;
}

/// Where a container forbids the call, reads the same memory from a file.
static size_t copy_now(uintptr_t address, void *bytes, size_t size) {
  static _Atomic(bool) is_call_forbidden;
  static _Atomic(int) file = -1;
  if (!atomic_load(&is_call_forbidden)) {
    size_t count = copy_by_call(getpid(), address, bytes, size);
    char probe;
    if (count || errno == EFAULT || copy_by_call(getpid(), (uintptr_t)&probe, &probe, 1)) return count;
    atomic_store(&is_call_forbidden, true);
  }
  int known = atomic_load(&file);
  if (known < 0) {
    int opened = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (atomic_compare_exchange_strong(&file, &known, opened)) known = opened;
    else close(opened);
  }
  return copy_from_file(known, address, bytes, size);
}

// The snapshot

static pid_t snapshot;  // 0: none
static int snapshot_file = -1;

/// From the file if it can be opened: that takes half the time of the call.
static size_t copy_from_snapshot(uintptr_t address, void *bytes, size_t size) {
  return snapshot_file < 0 ? copy_by_call(snapshot, address, bytes, size)
                           : copy_from_file(snapshot_file, address, bytes, size);
}

size_t sleepless_copy(uintptr_t address, void *bytes, size_t size) {
  return snapshot ? copy_from_snapshot(address, bytes, size) : copy_now(address, bytes, size);
}

bool sleepless_read_now(uintptr_t address, void *bytes, size_t size) {
  if (address < 0x10000 || address >> 47) return false;
  return copy_now(address, bytes, size) == size;
}

/// A child process that waits until it is killed; 0 if the system refuses one. The caller has blocked signals, also for
/// the child. The kernel kills the child if this thread ends first.
///
/// It shares the table of open files and the working directory, so that it keeps none in use. Its exit signal is not
/// SIGCHLD: the parent gets no signal, and waitpid(-1) in other code does not return it.
__attribute__((no_sanitize("thread"), no_sanitize("address"), noinline)) static pid_t make_waiting_child(void) {
  pid_t parent = getpid();
  long child = syscall(SYS_clone, CLONE_FILES | CLONE_FS | CLONE_UNTRACED, 0, 0, 0, 0);
  if (child) return child > 0 ? (pid_t)child : 0;
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (syscall(SYS_getppid) != parent) syscall(SYS_exit_group, 0);
  for (;;) syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

bool sleepless_take_snapshot(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  snapshot = make_waiting_child();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!snapshot) return false;
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem", (int)snapshot);
  snapshot_file = open(path, O_RDONLY | O_CLOEXEC);
  // A process may be allowed to read its own memory only.
  char probe;
  if (copy_from_snapshot((uintptr_t)&probe, &probe, 1)) return true;
  sleepless_drop_snapshot();
  return false;
}

void sleepless_drop_snapshot(void) {
  if (!snapshot) return;
  if (snapshot_file >= 0) close(snapshot_file);
  snapshot_file = -1;
  kill(snapshot, SIGKILL);
  while (waitpid(snapshot, NULL, __WALL) < 0 && errno == EINTR) {}
  snapshot = 0;
}

bool sleepless_sample_snapshot(void) {
  static volatile uintptr_t word;
  uintptr_t before = 0, now = 0, address = (uintptr_t)&word;
  word = 1;
  if (!sleepless_take_snapshot()) return false;
  word = 2;
  bool is_read = copy_from_snapshot(address, &before, sizeof before) == sizeof before &&
                 sleepless_read_now(address, &now, sizeof now);
  sleepless_drop_snapshot();
  return is_read && before == 1 && now == 2;
}

#else

size_t sleepless_copy(uintptr_t address, void *bytes, size_t size) { return 0; }
bool sleepless_read_now(uintptr_t address, void *bytes, size_t size) { return false; }
bool sleepless_take_snapshot(void) { return false; }
void sleepless_drop_snapshot(void) {}
bool sleepless_sample_snapshot(void) { return false; }

#endif
