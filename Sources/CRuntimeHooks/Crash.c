// What a crashing process prints about the schedules that it was exploring.
//
// `handle_crash` and what it calls run in a signal handler, so they take no lock and allocate nothing.

#define _GNU_SOURCE
#include "Runtime.h"

#if defined(__linux__) || defined(__APPLE__)
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { record_count = 64 };
static _Atomic(char *) records[record_count];  // the number of a record is its index + 1
static _Atomic(size_t) sizes[record_count];

static const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
enum { fatal_count = sizeof(fatal) / sizeof(fatal[0]) };
static struct sigaction previous[fatal_count];
static atomic_bool has_crashed;
static atomic_flag is_installed = ATOMIC_FLAG_INIT;

static void print_text(const char *text, size_t size) {
  while (size > 0) {
    ssize_t written = write(STDERR_FILENO, text, size);
    if (written <= 0) return;
    text += written;
    size -= (size_t)written;
  }
}

#define PRINT(literal) print_text(literal, sizeof(literal) - 1)

/// Prints the record of the schedule that the crashing thread runs. Prints all records if it runs none, or if a process
/// sent the signal (`is_sent`): that may reach any thread.
static void print_schedules(bool is_sent) {
  if (atomic_exchange(&has_crashed, true)) return;
  const sleepless_context *context = sleepless_thread_state.role.executor_context;
  int running = context && !is_sent ? context->crash_record : 0;
  for (int i = 0; i < record_count; i++) {
    char *text = atomic_load(&records[i]);
    if (!text) continue;
    size_t capacity = atomic_load(&sizes[i]);
    if (!capacity) continue;  // the record is about to be added
    bool is_here = running == i + 1;
    if (!is_sent) {
      text[capacity - 1] =
          is_here ? sleepless_crash_here : running ? sleepless_crash_elsewhere : sleepless_crash_outside;
    }
    if (running && !is_here) continue;
    size_t size = strnlen(text, capacity);
    const char *line = memchr(text, '\n', size);
    if (!line || line + 1 == text + size) continue;  // no schedule has begun
    PRINT("\nSleepless: the process crashed while it explored schedules of ");
    print_text(text, (size_t)(line - text));
    if (!is_here && !is_sent) PRINT("\nThe thread that crashed ran no schedule, so this test may not be the cause.");
    PRINT("\nReplay the schedule that was running: SLEEPLESS_REPLAY=");
    print_text(line + 1, size - (size_t)(line + 1 - text));
    PRINT("\n");
  }
}

static void handle_crash(int signal, siginfo_t *info, void *context) {
  (void)context;
  print_schedules(info->si_code == SI_USER || info->si_code == SI_QUEUE);
  // The handlers that were installed before get the signal next. A faulting instruction runs once more and
  // raises the signal again. A signal that was sent is sent again; on Linux its `si_code` is not positive.
  // A breakpoint's signal is sent again, too, because the program would otherwise continue after it.
  for (int i = 0; i < fatal_count; i++) {
    if (fatal[i] == signal) sigaction(signal, &previous[i], NULL);
  }
  if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
}

/// Keeps the handler that was there. The system leaves old words of the stack in the part of the mask that it does not
/// use, and a search of memory would take them for references.
static void keep(int index, const struct sigaction *old) {
  previous[index].sa_flags = old->sa_flags;
  previous[index].sa_sigaction = old->sa_sigaction;
  sigemptyset(&previous[index].sa_mask);
  for (int signal = 1; signal < NSIG; signal++) {
    if (sigismember(&old->sa_mask, signal) == 1) sigaddset(&previous[index].sa_mask, signal);
  }
}

int sleepless_watch_crashes(void *record, size_t size) {
  if (!atomic_flag_test_and_set(&is_installed)) {
    struct sigaction action = {0};
    action.sa_sigaction = handle_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < fatal_count; i++) {
      struct sigaction old = {0};
      sigaction(fatal[i], &action, &old);
      keep(i, &old);
    }
  }
  for (int i = 0; i < record_count; i++) {
    char *none = NULL;
    if (!atomic_compare_exchange_strong(&records[i], &none, (char *)record)) continue;
    atomic_store(&sizes[i], size);
    return i + 1;
  }
  return 0;
}

bool sleepless_unwatch_crashes(int number) {
  if (number > 0) {
    atomic_store(&sizes[number - 1], 0);
    atomic_store(&records[number - 1], NULL);
  }
  // The handler notes the crash before it looks for records. So it is seen here, or finds no record.
  return !atomic_load(&has_crashed);
}

void sleepless_put_in_record(char *place, char byte) {
  // The process may die between these two stores, or a signal handler may read the record on another thread.
  __atomic_store_n(place + 1, 0, __ATOMIC_RELEASE);
  __atomic_store_n(place, byte, __ATOMIC_RELEASE);
}

static char *put_number(char *end, int64_t number) {
  char digits[20];
  int count = 0;
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  do digits[count++] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) *end++ = '-';
  while (count) *end++ = digits[--count];
  return end;
}

enum { name_limit = 64, line_limit = name_limit + 48 };

// In C, because each step of a schedule calls it, in debug builds too.
size_t sleepless_add_line_to_record(
    char *place, size_t room, char kind, int64_t first, bool has_second, int64_t second, const char *name) {
  if (room < line_limit) return 0;
  char line[line_limit], *end = line;
  *end++ = kind;
  *end++ = ' ';
  end = put_number(end, first);
  if (has_second) {
    *end++ = ' ';
    end = put_number(end, second);
  }
  if (name) *end++ = ' ';
  for (int i = 0; name && name[i] && i < name_limit; i++) *end++ = name[i] == '\n' ? ' ' : name[i];
  *end++ = '\n';
  size_t size = (size_t)(end - line);
  // The first byte comes last, so a reader sees the whole line or nothing of it.
  memcpy(place + 1, line + 1, size - 1);
  __atomic_store_n(place + size, 0, __ATOMIC_RELEASE);
  __atomic_store_n(place, line[0], __ATOMIC_RELEASE);
  return size;
}

void *sleepless_map_file(const char *path, size_t size) {
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(file, (off_t)size) == 0) {
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

void sleepless_unmap_file(void *memory, size_t size) { munmap(memory, size); }

#else

int sleepless_watch_crashes(void *record, size_t size) { return 0; }
bool sleepless_unwatch_crashes(int number) { return true; }
void sleepless_put_in_record(char *place, char byte) {}
size_t sleepless_add_line_to_record(
    char *place, size_t room, char kind, int64_t first, bool has_second, int64_t second, const char *name) {
  return 0;
}
void *sleepless_map_file(const char *path, size_t size) { return 0; }
void sleepless_unmap_file(void *memory, size_t size) {}

#endif
