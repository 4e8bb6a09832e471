// Keeps copies of the pages that a search reads, and knows what lies in memory: blocks of the allocator, the program
// and its data, counts of references; Linux only.

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int image_count;  // the number of known `images`, see below

// Copies of pages

// A call costs more than the copy, and the walk reads neighbouring pages soon. But a word that is no address may lead
// anywhere, so the first copy of a neighbourhood is small.
enum { page_size = 4096, first_copy = 4, read_ahead = 64 };

// Objects have at least this size, so each begins in its own slot.
enum { slot_size = 16, slots_size = page_size / slot_size * sizeof(uint32_t) };

typedef struct {
  uintptr_t number;  // 0: a free entry
  char *bytes;       // null: not readable
  uint32_t *slots;   // the walks' numbers for the objects that begin there
} page;

/// Of functions that run for each word of memory: the thread sanitizer does not check them. It checks the functions
/// that change the same variables.
#define UNCHECKED __attribute__((no_sanitize("thread")))

static page *pages, latest_page;
static size_t page_capacity, page_count;
static char **arenas;
static size_t arena_count, arena_used;  // of the last arena
static const size_t arena_size = 32 << 20;

void *sleepless_map_memory(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  // Getting 4 KB pages one by one takes longer than filling them.
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

static char *take_memory(size_t size) {
  if (!arena_count || arena_used + size > arena_size) {
    char **grown = realloc(arenas, (arena_count + 1) * sizeof(char *));
    if (!grown) return NULL;
    arenas = grown;
    // Not from the allocator: a search would find the copies there.
    char *arena = sleepless_map_memory(arena_size);
    if (!arena) return NULL;
    arenas[arena_count++] = arena;
    arena_used = 0;
  }
  char *memory = arenas[arena_count - 1] + arena_used;
  arena_used += size;
  return memory;
}

void sleepless_drop_copies(void) {
  for (size_t i = 0; i < arena_count; i++) munmap(arenas[i], arena_size);
  free(arenas);
  free(pages);
  image_count = 0;
  arenas = NULL;
  pages = NULL;
  latest_page = (page){0, NULL, NULL};
  arena_count = arena_used = page_capacity = page_count = 0;
}

bool sleepless_is_copy(uintptr_t address) {
  for (size_t i = 0; i < arena_count; i++) {
    if (address - (uintptr_t)arenas[i] < arena_size) return true;
  }
  return false;
}

UNCHECKED static page *place_of(uintptr_t number) {
  size_t mask = page_capacity - 1, index = (number * 0x9E3779B97F4A7C15u >> 20) & mask;
  while (pages[index].number && pages[index].number != number) index = (index + 1) & mask;
  return &pages[index];
}

static bool make_room(void) {
  if (page_capacity > 2 * (page_count + read_ahead)) return true;
  page *old = pages;
  size_t old_capacity = page_capacity;
  page_capacity = old_capacity ? 2 * old_capacity : 1024;
  pages = calloc(page_capacity, sizeof(page));
  if (!pages) return false;
  for (size_t i = 0; i < old_capacity; i++) {
    if (old[i].number) *place_of(old[i].number) = old[i];
  }
  free(old);
  return true;
}

/// Copies a page and the pages after it.
static page copy_pages(uintptr_t number) {
  page none = {number, NULL, NULL};
  if (!make_room()) return none;
  size_t most = place_of(number - 1)->bytes ? read_ahead : first_copy, count = 1;
  while (count < most && !place_of(number + count)->number) count++;
  char *bytes = take_memory(count * (page_size + slots_size));
  if (!bytes) return none;
  char *slots = bytes + count * page_size;
  size_t whole = sleepless_copy(number * page_size, bytes, count * page_size) / page_size;
  if (!whole) {
    arena_used -= count * (page_size + slots_size);
    *place_of(number) = none;
    page_count++;
    return none;
  }
  for (size_t i = 0; i < whole; i++) {
    *place_of(number + i) =
        (page){number + i, bytes + i * page_size, (uint32_t *)(slots + i * slots_size)};
    page_count++;
  }
  return (page){number, bytes, (uint32_t *)slots};
}

UNCHECKED static const page *page_at(uintptr_t number) {
  if (latest_page.number == number) return &latest_page;
  page *known = page_capacity ? place_of(number) : NULL;
  latest_page = known && known->number ? *known : copy_pages(number);
  return &latest_page;
}

static bool may_be_address(uintptr_t address) { return address >= 0x10000 && !(address >> 47); }

UNCHECKED const void *sleepless_view(uintptr_t address, size_t size, void *bytes) {
  size_t start = address % page_size;
  if (start + size > page_size) return sleepless_read(address, bytes, size) ? bytes : NULL;
  const char *from = may_be_address(address) ? page_at(address / page_size)->bytes : NULL;
  return from ? from + start : NULL;
}

bool sleepless_read(uintptr_t address, void *bytes, size_t size) {
  if (!may_be_address(address) || size >> 40) return false;
  char *to = bytes;
  while (size) {
    size_t start = address % page_size, part = page_size - start;
    if (part > size) part = size;
    const char *from = page_at(address / page_size)->bytes;
    if (!from) return false;
    memcpy(to, from + start, part);
    to += part;
    address += part;
    size -= part;
  }
  return true;
}

UNCHECKED uint32_t *sleepless_slot(uintptr_t address) {
  uint32_t *slots = may_be_address(address) ? page_at(address / page_size)->slots : NULL;
  return slots ? &slots[address % page_size / slot_size] : NULL;
}

// Blocks of the allocator

extern int __sanitizer_get_ownership(const volatile void *) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

size_t sleepless_block_size(uintptr_t address) {
  if (address & 15 || address < 0x10000 || address >> 47) return 0;
  if (__sanitizer_get_ownership) {
    if (!__sanitizer_get_ownership((void *)address)) return 0;
    return __sanitizer_get_allocated_size((void *)address);
  }
#ifdef __GLIBC__
  // The word before a chunk is its size with three flags; the next chunk has the flag that this one
  // is in use.
  uint64_t header, next;
  if (!sleepless_read(address - 8, &header, 8)) return 0;
  uint64_t size = header & ~(uint64_t)7;
  if (size < 32 || size >> 40 || size & 15) return 0;
  bool is_mapped = header & 2;
  if (is_mapped) return (address - 16) % page_size || size % page_size ? 0 : size - 16;
  if (!sleepless_read(address + size - 8, &next, 8)) return 0;
  if (!(next & 1) || (next & ~(uint64_t)7) < 16) return 0;
  return size - 8;
#else
  return 0;
#endif
}

// The program and its libraries

typedef struct {
  uintptr_t start, end;
} range;

static range images[512], latest;

static int note_image(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size, (void)argument;
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t from = object->dlpi_addr + segment->p_vaddr;
    if (from < start) start = from;
    if (from + segment->p_memsz > end) end = from + segment->p_memsz;
  }
  if (start < end && image_count < 512) images[image_count++] = (range){start, end};
  return 0;
}

bool sleepless_is_in_program(uintptr_t address) {
  if (!image_count) {
    dl_iterate_phdr(note_image, NULL);
    latest = images[0];
  }
  // Neighbouring words mostly point into the same image.
  if (address >= latest.start && address < latest.end) return true;
  for (int i = 0; i < image_count; i++) {
    if (address < images[i].start || address >= images[i].end) continue;
    latest = images[i];
    return true;
  }
  return false;
}

// Data of the program

typedef struct {
  void *context;
  void (*body)(void *, uintptr_t, size_t);
} segment_visitor;

static int visit_segments(struct dl_phdr_info *object, size_t size, void *argument) {
  (void)size;
  segment_visitor *visitor = argument;
  // The allocator's data refers to recently freed blocks, and so to their new content.
  if (strstr(object->dlpi_name, "/libc.") || strstr(object->dlpi_name, "/ld-")) return 0;
  // Only the loader writes this part, while it loads the program.
  uintptr_t fixed_start = 0, fixed_end = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_GNU_RELRO) continue;
    fixed_start = object->dlpi_addr + segment->p_vaddr;
    fixed_end = fixed_start + segment->p_memsz;
  }
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W)) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
    if (start >= fixed_start && start < fixed_end) start = fixed_end;
    if (start < end) visitor->body(visitor->context, start, end - start);
  }
  return 0;
}

void sleepless_each_data_segment(void *context, void (*body)(void *, uintptr_t, size_t)) {
  segment_visitor visitor = {context, body};
  dl_iterate_phdr(visit_segments, &visitor);
}

// Reference counts in the runtime's format: inline, or in a side table with the weak count

static bool is_in_side_table(uint64_t bits) { return (uint32_t)bits != UINT32_MAX && bits >> 62 == 3; }

static uintptr_t side_table_in(uint64_t bits) { return (bits & ~((uint64_t)3 << 62)) << 3; }

static bool read_counts(uintptr_t object, uint64_t *bits, uint32_t *weak) {
  *weak = 1;  // the object's own
  if (!sleepless_read(object + 8, bits, 8) || (uint32_t)*bits == UINT32_MAX) return false;
  if (!is_in_side_table(*bits)) return true;
  uintptr_t side_table = side_table_in(*bits);
  return sleepless_read(side_table + 16, bits, 8) && sleepless_read(side_table + 24, weak, 4);
}

uintptr_t sleepless_side_table(uintptr_t object) {
  uint64_t bits;
  return sleepless_read(object + 8, &bits, 8) && is_in_side_table(bits) ? side_table_in(bits) : 0;
}

static bool is_deinitialising(uint64_t bits) { return bits >> 32 & 1; }

bool sleepless_is_deinitialising(uintptr_t object) {
  uint64_t bits;
  uint32_t weak;
  return read_counts(object, &bits, &weak) && is_deinitialising(bits);
}

uint64_t sleepless_strong_count(uintptr_t object) {
  uint64_t bits;
  uint32_t weak;
  if (!read_counts(object, &bits, &weak)) return 0;
  return is_deinitialising(bits) ? 0 : ((bits >> 33) & 0x3fffffff) + 1;
}

uint64_t sleepless_weak_count(uintptr_t object) {
  uint64_t bits;
  uint32_t weak;
  if (!read_counts(object, &bits, &weak)) return 0;
  return weak - 1 + ((bits >> 1) & 0x7fffffff) - 1;
}

// Types

#define SWIFT_CALL __attribute__((swiftcall))
typedef struct {
  const void *type;
  size_t state;
} metadata_response;

extern SWIFT_CALL metadata_response swift_checkMetadataState(size_t request, const void *type);
void sleepless_complete_type(const void *type) { swift_checkMetadataState(0, type); }

#else

bool sleepless_read(uintptr_t address, void *bytes, size_t size) { return false; }
bool sleepless_is_copy(uintptr_t address) { return false; }
bool sleepless_is_in_program(uintptr_t address) { return false; }
void sleepless_complete_type(const void *type) {}
void sleepless_drop_copies(void) {}
size_t sleepless_block_size(uintptr_t address) { return 0; }
void sleepless_each_data_segment(void *context, void (*body)(void *, uintptr_t, size_t)) {}
bool sleepless_is_deinitialising(uintptr_t object) { return false; }
uint64_t sleepless_strong_count(uintptr_t object) { return 0; }
uint64_t sleepless_weak_count(uintptr_t object) { return 0; }
uintptr_t sleepless_side_table(uintptr_t object) { return 0; }

#endif
