// Finds the holders of an object that no path from a root reaches. Scans all writable memory for
// words with the object's address, and finds the object that contains each word.

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  page_size = 4096,
  part_size = 64 * page_size,
  // The largest distance from an object's start to the reference. Only arrays are that long.
  longest = 1 << 16,
};

static const uintptr_t largest = (uintptr_t)1 << 36;

/// The bits that an enum may set in a reference to mark a case.
static const uintptr_t marks = 0xf000000000000007;

/// Of functions that run for each word of memory: the thread sanitizer does not check them, and a search belongs to one
/// thread.
#define UNCHECKED __attribute__((no_sanitize("thread")))

typedef struct {
  sleepless_describe describe;
  const uintptr_t *targets;
  size_t target_count;
  uintptr_t lowest, span;
  uint64_t steps_left;
  sleepless_step *steps;
  size_t capacity, count;
  bool scans_unknown, is_complete;
  char *bytes;
} search;

/// Counts steps; false if the search has fewer left, and gives up.
static bool take_steps(search *s, uint64_t steps) {
  if (!sleepless_take_steps(&s->steps_left, steps)) s->is_complete = false;
  return s->is_complete;
}

UNCHECKED static bool is_target(search *s, uintptr_t address) {
  for (size_t i = 0; i < s->target_count; i++) {
    if (s->targets[i] == address) return true;
  }
  return false;
}

static bool is_known(search *s, uintptr_t holder, uintptr_t held) {
  for (size_t i = 0; i < s->count; i++) {
    if (s->steps[i].holder == holder && s->steps[i].held == held) return true;
  }
  return false;
}

/// Finds the object that contains a reference, if it is a strong one.
static void add_holder_of(search *s, uintptr_t place, uintptr_t held) {
  // The copies of memory contain the same words.
  if (sleepless_is_copy(place)) return;
  if (place >= (uintptr_t)s->bytes && place < (uintptr_t)s->bytes + part_size) return;
  for (uintptr_t start = (place - 16) & ~(uintptr_t)15; place - start < longest; start -= 16) {
    sleepless_step step;
    if ((start & 255) == 0 && !take_steps(s, 1)) return;
    bool holds = sleepless_holds(s->describe, start, place, held, false, &s->steps_left, &step);
    if (!holds && s->scans_unknown) holds = sleepless_holds(s->describe, start, place, held, true, &s->steps_left, &step);
    if (!holds) continue;
    if (is_known(s, start, held)) return;
    if (s->count == s->capacity) {
      s->is_complete = false;
      return;
    }
    s->steps[s->count++] = step;
    return;
  }
}

/// Scans the copy of memory that begins at `start`.
UNCHECKED static void scan_words(search *s, uintptr_t start, size_t size) {
  const uint64_t *words = (const uint64_t *)s->bytes, *end = words + size / 8;
  for (const uint64_t *word = words; word != end; word++) {
    if ((*word & ~marks) - s->lowest > s->span || !is_target(s, *word & ~marks)) continue;
    add_holder_of(s, start + (uintptr_t)(word - words) * 8, *word & ~marks);
  }
}

/// Scans pages that are in memory. Some of them may be younger than the snapshot, and are not readable in it.
static void scan_pages(search *s, uintptr_t start, uintptr_t end) {
  while (start < end && s->is_complete) {
    if (sleepless_is_copy(start)) {
      start += page_size;
      continue;
    }
    size_t size = sleepless_copy(start, s->bytes, end - start) & ~(size_t)(page_size - 1);
    if (!take_steps(s, 1 + size / page_size)) return;
    scan_words(s, start, size);
    start += size + page_size;
  }
}

/// Scans the pages of a region that are in memory; most pages of a thread's stack are not.
static void scan_region(search *s, uintptr_t start, uintptr_t end) {
  unsigned char is_there[part_size / page_size];
  for (uintptr_t part = start; part < end && s->is_complete; part += part_size) {
    size_t size = end - part < part_size ? end - part : part_size, pages = size / page_size;
    // It fails where another thread has unmapped memory since the map was read. Then each page is tried.
    if (mincore((void *)part, size, is_there) != 0) memset(is_there, 1, pages);
    for (size_t first = 0; first < pages;) {
      size_t last = first;
      while (last < pages && is_there[last] & 1) last++;
      scan_pages(s, part + first * page_size, part + last * page_size);
      first = last + 1;
    }
  }
}

/// The list of mappings, one per line: `start-end rw-p offset device inode path`.
static char *read_map(void) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  size_t size = 0, capacity = 1 << 16;
  char *text = malloc(capacity);
  while (text) {
    ssize_t count = read(file, text + size, capacity - size - 1);
    if (count <= 0) break;
    size += (size_t)count;
    if (capacity - size > page_size) continue;
    char *grown = realloc(text, capacity *= 2);
    if (!grown) break;
    text = grown;
  }
  close(file);
  if (text) text[size] = 0;
  return text;
}

sleepless_finding sleepless_find_holders(
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, bool scans_unknown,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count) {
  *step_count = 0;
  if (!target_count) return sleepless_not_found;
  search s = {.describe = describe, .targets = targets, .target_count = target_count,
              .scans_unknown = scans_unknown, .steps = steps, .capacity = capacity, .is_complete = true};
  s.steps_left = step_limit;
  uintptr_t highest = 0;
  s.lowest = UINTPTR_MAX;
  for (size_t i = 0; i < target_count; i++) {
    if (targets[i] < s.lowest) s.lowest = targets[i];
    if (targets[i] > highest) highest = targets[i];
  }
  s.span = highest - s.lowest;
  char *map = read_map();
  // Not from the allocator, whose memory is scanned.
  s.bytes = sleepless_map_memory(part_size);
  if (!map || !s.bytes) s.is_complete = false;
  char *rest = map;
  for (char *line; s.is_complete && (line = strsep(&rest, "\n"));) {
    unsigned long start, end, inode;
    char permissions[5];
    if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &start, &end, permissions, &inode) != 4) continue;
    if (strcmp(permissions, "rw-p") != 0 || inode != 0) continue;
    // A sanitizer's own memory.
    if (end - start > largest) continue;
    scan_region(&s, start, end);
  }
  if (s.bytes) munmap(s.bytes, part_size);
  free(map);
  *step_count = s.count;
  if (!s.is_complete) return sleepless_gave_up;
  return s.count ? sleepless_found : sleepless_not_found;
}

#else

sleepless_finding sleepless_find_holders(
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, bool scans_unknown,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count) {
  *step_count = 0;
  return sleepless_gave_up;
}

#endif
