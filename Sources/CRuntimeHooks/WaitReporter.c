// The process that reports the waits of this one when this one has ended: by `exit`, by a crash, killed.
//
// It is forked when the process loads, before there are threads, and then only waits for a pipe to close. It starts the
// program again, which finds in its environment that it is to report, and does so instead of running tests. Both use
// files without names.

#define _GNU_SOURCE
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTING "SLEEPLESS_WAITS"
#define REPORT "SLEEPLESS_WAITS_OF_ENDED_PROCESS"

static int life_pipe, done_pipe;
static pid_t measured_process;

/// Prints what does not happen because a function has failed, and what to do.
static void print_failure(const char *what, const char *function) {
  char line[256];
  const char *advice = "Raise the limit (ulimit -a lists them), or unset " SETTING;
  snprintf(line, sizeof line, "Sleepless: waits are not %s: %s: %s. %s.", what, function, strerror(errno), advice);
  sleepless_print_line(line);
}

// The start

/// Whether the program is only to list its tests.
static bool lists_tests(int count, char **arguments) {
  static const char *const options[] = {"--list-tests", "-l", "--dump-tests-json"};
  for (int i = 1; i < count; i++) {
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
      if (!strcmp(arguments[i], options[k])) return true;
    }
  }
  return false;
}

static void wait_for_end(int pipe) {
  char byte;
  while (read(pipe, &byte, 1) < 0 && errno == EINTR) {
  }
}

/// Waits in a child until this process has ended; then becomes the process that reports. Does not return.
static void report_later(
    char **arguments, const char *setting, const wait_log_header *memory, int log, int life, int done) {
  // A limit of CI ends the whole group of processes, and the report is to tell why.
  static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  wait_for_end(life);
  // A program without SleeplessTesting would begin its own work again.
  if (!atomic_load(&memory->can_report)) _exit(0);
  char value[256];
  snprintf(value, sizeof value, "%d %lld %d", log, (long long)sleepless_monotonic_time(), done);
  setenv(REPORT, value, 1);
  setenv(SETTING, setting, 1);
  execv("/proc/self/exe", arguments);
  print_failure("reported", "execv");
  _exit(1);
}

static void exit_after_report(void) {
  // A child that code of tests has forked ends for itself.
  if (getpid() != measured_process) return;
  atomic_store(&sleepless_log->has_exited, true);
  // The report comes last.
  fflush(NULL);
  // If the process that reports is gone, the write fails, and must not end this one by a signal.
  signal(SIGPIPE, SIG_IGN);
  // Such a child may keep the pipe open.
  if (write(life_pipe, "", 1) < 0) return;
  enum { longest_report = 120000 };
  struct pollfd report = {.fd = done_pipe, .events = POLLIN};
  while (poll(&report, 1, longest_report) < 0 && errno == EINTR) {
  }
}

static int note_image(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size, (void)argument;
  char line[4200];
  snprintf(line, sizeof line, "I %lx %s", (unsigned long)object->dlpi_addr, object->dlpi_name);
  sleepless_note_line(line);
  return 0;
}

/// Notes which run this is: `swift test` starts a process for each framework, or for each test.
static void note_run(void) {
  char path[64], line[4200] = "", text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", getppid());
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
  }
  // The time of its start is the 22nd field; the 2nd is a name in parentheses.
  char *field = strrchr(text, ')');
  for (int i = 2; field && i < 22; i++) field = strchr(field + 1, ' ');
  int length = field ? (int)strcspn(field + 1, " ") : 0;
  snprintf(line, sizeof line, "P %d-%.*s", getppid(), length, field ? field + 1 : "");
  sleepless_note_line(line);
}

/// What both processes use. Files that are not open are -1.
typedef struct {
  int log, life[2], done[2];
  void *memory;
} shared;

/// Opens it. Returns the name of a function that has failed; null if none has.
static const char *open_shared(shared *all) {
  *all = (shared){-1, {-1, -1}, {-1, -1}, MAP_FAILED};
  if ((all->log = memfd_create("sleepless waits", 0)) < 0) return "memfd_create";
  // Beyond a limit, ftruncate also sends a signal, which would end the process.
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < log_size) {
    errno = EFBIG;
    return "ftruncate";
  }
  if (ftruncate(all->log, (off_t)log_size)) return "ftruncate";
  if (pipe2(all->life, O_CLOEXEC) || pipe(all->done)) return "pipe";
  all->memory = mmap(NULL, log_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, all->log, 0);
  return all->memory == MAP_FAILED ? "mmap" : NULL;
}

static void close_shared(const shared *all) {
  const int files[] = {all->log, all->life[0], all->life[1], all->done[0], all->done[1]};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (files[i] >= 0) close(files[i]);
  }
  if (all->memory != MAP_FAILED) munmap(all->memory, log_size);
}

/// Starts the process that reports. Returns whether that was possible.
static bool start_reporter(const shared *all, char **arguments, const char *setting) {
  // Forked twice, so that it is no child of this process: code of tests may wait for all its children.
  pid_t child = fork();
  if (child < 0) return false;
  if (!child) {
    pid_t reporter = fork();
    if (reporter) _exit(reporter < 0 ? errno : 0);
    close(all->life[1]);
    close(all->done[0]);
    report_later(arguments, setting, all->memory, all->log, all->life[0], all->done[1]);
  }
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  return !errno;
}

static void start(int count, char **arguments, char **environment) {
  (void)environment;
  const char *setting = getenv(SETTING);
  if (!setting || !*setting || !strcmp(setting, "0") || getenv(REPORT) || lists_tests(count, arguments)) return;
  // Other processes that tests start do not report.
  unsetenv(SETTING);
  shared all;
  const char *failed = open_shared(&all);
  if (!failed && !start_reporter(&all, arguments, setting)) failed = "fork";
  if (failed) {
    print_failure("measured", failed);
    return close_shared(&all);
  }
  close(all.life[0]);
  close(all.done[1]);
  close(all.log);
  fcntl(all.done[0], F_SETFD, FD_CLOEXEC);
  measured_process = getpid();
  life_pipe = all.life[1];
  done_pipe = all.done[0];
  sleepless_log = all.memory;
  dl_iterate_phdr(note_image, NULL);
  note_run();
  // It is registered before the program's own functions, and so called after them.
  atexit(exit_after_report);
}

// The loader calls it before the code that samples the runtime, which may start threads.
__attribute__((section(".init_array.00098"), used)) static void (*const start_at_load)(int, char **, char **) = start;

// The report

bool sleepless_reports_waits(sleepless_wait_log *log, const char **setting) {
  const char *value = getenv(REPORT);
  int log_file, done;
  long long end;
  if (!value) return false;
  // This process must not run the program again, whatever is wrong.
  if (sscanf(value, "%d %lld %d", &log_file, &end, &done) != 3) _exit(1);
  *setting = getenv(SETTING) ? getenv(SETTING) : "";
  void *memory = mmap(NULL, log_size, PROT_READ, MAP_SHARED, log_file, 0);
  if (memory == MAP_FAILED) {
    print_failure("reported", "mmap");
    _exit(1);
  }
  wait_log_header *header = memory;
  size_t count = header->wait_count;
  *log = (sleepless_wait_log){
      .waits = log_waits(header),
      .wait_count = count < log_wait_count ? count : log_wait_count,
      .lost_count = header->lost_count,
      .text = log_text(header),
      .text_size = header->text_size,
      .end = end,
      .has_exited = header->has_exited,
      .has_tasks = header->has_tasks,
  };
  return true;
}

void sleepless_end_report(void) { _exit(0); }

typedef struct {
  const char *path;
  uintptr_t address;
} image_search;

static int find_image(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  image_search *search = argument;
  if (strcmp(object->dlpi_name, search->path)) return 0;
  search->address = object->dlpi_addr;
  return 1;
}

uintptr_t sleepless_address_of_image(const char *path) {
  image_search search = {path, 0};
  dl_iterate_phdr(find_image, &search);
  return search.address;
}

#else

bool sleepless_reports_waits(sleepless_wait_log *log, const char **setting) { return false; }
void sleepless_end_report(void) { __builtin_trap(); }
uintptr_t sleepless_address_of_image(const char *path) { return 0; }

#endif
