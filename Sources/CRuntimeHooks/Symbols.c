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

#endif
