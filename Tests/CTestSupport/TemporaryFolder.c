// Makes a temporary folder for each test process and its child processes, and removes it when the
// process ends.
//
// An exploration keeps a record in the temporary folder while it runs. If the process crashes, the
// next run of the same test finds the record and fails. A developer who stops our tests early does
// not want that failure.

#define _GNU_SOURCE

#if defined(__linux__)

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[4096];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  remove(path);
  return 0;
}

static void remove_folder(void) {
  if (getpid() == owner) nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((constructor)) static void make_folder(void) {
  const char *parent = getenv("TMPDIR");
  int length = snprintf(folder, sizeof folder, "%s/sleepless-tests-XXXXXX", parent ? parent : "/tmp");
  if (length >= (int)sizeof folder || !mkdtemp(folder)) return;
  setenv("TMPDIR", folder, 1);
  owner = getpid();
  atexit(remove_folder);
}

#endif
