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

/// The code of Foundation, of the test frameworks and of libdispatch.
static code_range frameworks[16];
static int framework_count;
/// The code of libdispatch, of its overlay for Swift, of the Foundation that has run loops, of its network code, and of
/// Swift Testing.
static code_range dispatch, dispatch_overlay, run_loops, networking, testing;

static int add_framework(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size, (void)argument;
  static const char *const names[] = {"libFoundation", "lib_Foundation", "libXCTest", "libTesting", "libdispatch"};
  const char *slash = strrchr(object->dlpi_name, '/');
  const char *name = slash ? slash + 1 : object->dlpi_name;
  const struct {
    const char *name;
    code_range *code;
  } known[] = {
      {"libdispatch.so", &dispatch},
      {"libswiftDispatch.so", &dispatch_overlay},
      {"libFoundation.so", &run_loops},
      {"libFoundationNetworking.so", &networking},
      {"libTesting.so", &testing},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!strcmp(name, known[i].name)) *known[i].code = sleepless_code_around((const void *)object->dlpi_addr);
  }
  for (size_t i = 0; i < sizeof names / sizeof *names && framework_count < 16; i++) {
    if (strncmp(name, names[i], strlen(names[i]))) continue;
    // A shared library begins at the address to which it was loaded.
    frameworks[framework_count++] = sleepless_code_around((const void *)object->dlpi_addr);
  }
  return 0;
}

bool sleepless_find_frameworks(void) {
  if (!framework_count) dl_iterate_phdr(add_framework, NULL);
  return framework_count > 0;
}

bool sleepless_is_of_framework(const void *address) {
  for (int i = 0; i < framework_count; i++) {
    if (is_in(frameworks[i], address)) return true;
  }
  return false;
}

bool sleepless_is_of_dispatch(const void *address) { return is_in(dispatch, address); }
bool sleepless_is_of_dispatch_overlay(const void *address) { return is_in(dispatch_overlay, address); }
bool sleepless_is_of_run_loop(const void *address) { return is_in(run_loops, address); }
bool sleepless_is_of_networking(const void *address) { return is_in(networking, address); }
bool sleepless_is_of_testing(const void *address) { return is_in(testing, address); }

#endif
