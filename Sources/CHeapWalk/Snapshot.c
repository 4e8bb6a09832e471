// Reads this process's own memory, as it is now or as it was at one moment; Linux only.
//
// Nothing is read through a pointer, because another thread may return memory to the system at any moment. The system
// copies pages, and reports an error for missing ones.
//
// The memory of one moment is that of a child process, which waits until it is killed. The kernel copies no memory for
// it at first: it makes the pages read-only, and copies a page when one of the two processes writes to it. A thread that
// writes while pages become read-only waits until all are (mmap_lock in the kernel's dup_mmap, kernel/fork.c).

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/// The ways to read a process's memory.
typedef struct {
  bool is_call_forbidden;
  int file;  // -1: not open
} memory_reader;

// Where a container forbids the system call, reads the same memory from a file.
static size_t copy_from_file(pid_t process, memory_reader *reader, uintptr_t address, void *bytes, size_t size) {
  if (reader->file < 0) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    reader->file = open(path, O_RDONLY | O_CLOEXEC);
  }
  ssize_t count = reader->file < 0 ? -1 : pread(reader->file, bytes, size, (off_t)address);
  return count < 0 ? 0 : (size_t)count;
}

static size_t copy(pid_t process, memory_reader *reader, uintptr_t address, void *bytes, size_t size) {
  struct iovec local = {bytes, size}, remote = {(void *)address, size};
  if (!reader->is_call_forbidden) {
    ssize_t count = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (count >= 0) return (size_t)count;
    if (errno == EFAULT) return 0;
    char probe;
    struct iovec local_probe = {&probe, 1}, remote_probe = {&probe, 1};
    reader->is_call_forbidden = process_vm_readv(process, &local_probe, 1, &remote_probe, 1, 0) != 1;
  }
  return reader->is_call_forbidden ? copy_from_file(process, reader, address, bytes, size) : 0;
}

static size_t copy_now(uintptr_t address, void *bytes, size_t size) {
  static memory_reader own = {.file = -1};
  return copy(getpid(), &own, address, bytes, size);
}

// The snapshot

static pid_t snapshot;  // 0: none
static memory_reader snapshot_reader;

size_t sleepless_copy(uintptr_t address, void *bytes, size_t size) {
  return snapshot ? copy(snapshot, &snapshot_reader, address, bytes, size) : copy_now(address, bytes, size);
}

bool sleepless_read_now(uintptr_t address, void *bytes, size_t size) {
  if (address < 0x10000 || address >> 47) return false;
  return copy_now(address, bytes, size) == size;
}

/// A child process that waits until it is killed; 0 if the system refuses one. The caller has blocked signals, also for
/// the child. The child ends with this thread, too.
///
/// It shares the table of open files, so that a file that another thread closes is closed. It ends without a signal, so
/// waitpid(-1) in other code does not see it.
__attribute__((no_sanitize("thread"), no_sanitize("address"), noinline)) static pid_t make_waiting_child(void) {
  pid_t parent = getpid();
  long child = syscall(SYS_clone, CLONE_FILES | CLONE_FS, 0, 0, 0, 0);
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
  snapshot_reader = (memory_reader){.file = -1};
  // A process may be allowed to read its own memory only.
  char probe;
  if (sleepless_copy((uintptr_t)&probe, &probe, 1)) return true;
  sleepless_drop_snapshot();
  return false;
}

void sleepless_drop_snapshot(void) {
  if (!snapshot) return;
  if (snapshot_reader.file >= 0) close(snapshot_reader.file);
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
  bool is_read = sleepless_copy(address, &before, sizeof before) == sizeof before &&
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
