// A temporary folder for each process with tests, from its beginning to its end, and for those that it
// starts.
//
// What explores leaves a record in the temporary folder while it runs, and the next process fails if it
// finds one of the same test. Somebody who ends a run of our tests early does not mean that.

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
