// The files that a program has loaded: which one an address belongs to, where its code is, and the exported name at
// an address.

#define _GNU_SOURCE  // dladdr, dl_iterate_phdr
#include "Runtime.h"

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

#ifdef SLEEPLESS_CAN_CAPTURE

#include <link.h>
#include <string.h>

typedef struct {
  uintptr_t address;
  code_range code;
} code_search;

static int find_code(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  code_search *search = argument;
  code_range code = {0};
  bool is_it = false;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
    if (search->address >= start && search->address < end) is_it = true;
    if (!(segment->p_flags & PF_X)) continue;
    if (!code.start) code.start = start;
    code.end = end;
  }
  if (is_it) search->code = code;
  return is_it;
}

code_range sleepless_code_around(const void *address) {
  code_search search = {.address = (uintptr_t)address};
  dl_iterate_phdr(find_code, &search);
  return search.code;
}

enum { most_ranges = 48 };
/// The code of libdispatch, of its overlay for Swift, of the Foundation that has run loops, of its network code, and of
/// Swift Testing.
code_range sleepless_libdispatch;
static code_range dispatch_overlay, run_loops, networking, testing;

typedef struct {
  const char *const *names;
  code_range ranges[most_ranges];
  int count;
} code_list;

static const char *const framework_names[] = {"libFoundation", "lib_Foundation", "libXCTest", "libTesting",
                                              "libdispatch", NULL};
static const char *const foundation_names[] = {"libFoundation", NULL};
static const char *const test_framework_names[] = {"libXCTest", "libTesting", NULL};
static const char *const dispatch_names[] = {"libdispatch", "libswiftDispatch", NULL};
static const char *const system_names[] = {"libFoundation", "lib_", "libXCTest", "libTesting", "libdispatch",
                                           "libswift", "libBlocksRuntime", "libc.", "libc-", "libpthread", "libm.",
                                           "libstdc++", "libgcc", "ld-linux", "linux-vdso", NULL};

static code_list frameworks = {framework_names}, test_frameworks = {test_framework_names},
                 foundation = {foundation_names}, dispatch = {dispatch_names}, systems = {system_names};

static int add_to_list(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  code_list *list = argument;
  const char *slash = strrchr(object->dlpi_name, '/');
  const char *name = slash ? slash + 1 : object->dlpi_name;
  const struct {
    const char *name;
    code_range *code;
  } known[] = {
      {"libdispatch.so", &sleepless_libdispatch},
      {"libswiftDispatch.so", &dispatch_overlay},
      {"libFoundation.so", &run_loops},
      {"libFoundationNetworking.so", &networking},
      {"libTesting.so", &testing},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!strcmp(name, known[i].name)) *known[i].code = sleepless_code_around((const void *)object->dlpi_addr);
  }
  for (int i = 0; list->names[i] && list->count < most_ranges; i++) {
    if (strncmp(name, list->names[i], strlen(list->names[i]))) continue;
    // A shared library begins at the address to which it was loaded.
    list->ranges[list->count++] = sleepless_code_around((const void *)object->dlpi_addr);
    break;
  }
  return 0;
}

static bool is_in_list(const code_list *list, const void *address) {
  for (int i = 0; i < list->count; i++) {
    if (is_in(list->ranges[i], address)) return true;
  }
  return false;
}

bool sleepless_is_of_any_dispatch(const void *address) { return is_in_list(&dispatch, address); }
bool sleepless_is_of_dispatch_overlay(const void *address) { return is_in(dispatch_overlay, address); }
bool sleepless_is_of_run_loop(const void *address) { return is_in(run_loops, address); }
bool sleepless_is_of_networking(const void *address) { return is_in(networking, address); }
bool sleepless_is_of_testing(const void *address) { return is_in(testing, address); }
bool sleepless_find_frameworks(void) {
  code_list *const lists[] = {&frameworks, &foundation, &test_frameworks, &dispatch, &systems};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    if (!lists[i]->count) dl_iterate_phdr(add_to_list, lists[i]);
  }
  return frameworks.count && dispatch.count && systems.count;
}

/// Functions of the GNU C library that changed after their first version for x86_64, each with a version after the
/// change.
static const char *const versions[][2] = {
    {"posix_spawn", "GLIBC_2.15"},          {"posix_spawnp", "GLIBC_2.15"},
    {"pthread_cond_wait", "GLIBC_2.3.2"},   {"pthread_cond_timedwait", "GLIBC_2.3.2"},
    {"pthread_cond_signal", "GLIBC_2.3.2"}, {"pthread_cond_broadcast", "GLIBC_2.3.2"},
    {"timer_create", "GLIBC_2.3.3"},        {"timer_settime", "GLIBC_2.3.3"},
};

void *sleepless_next_definition(const char *name) {
#if defined(__GLIBC__) && defined(__x86_64__)
  // Before version 2.36 of the GNU C library, `dlsym` finds the oldest version (its bug 14932).
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    if (strcmp(name, versions[i][0])) continue;
    void *function = dlvsym(RTLD_NEXT, name, versions[i][1]);
    if (function) return function;
  }
#else
  (void)versions;
#endif
  return dlsym(RTLD_NEXT, name);
}

bool sleepless_is_of_framework(const void *address) { return is_in_list(&frameworks, address); }
bool sleepless_is_of_test_framework(const void *address) { return is_in_list(&test_frameworks, address); }
bool sleepless_is_of_foundation(const void *address) { return is_in_list(&foundation, address); }
bool sleepless_is_of_system(const void *address) { return is_in_list(&systems, address); }

#endif
