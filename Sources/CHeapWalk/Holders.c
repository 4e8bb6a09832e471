// Looks for who holds an object where no way from a root leads to it: through all memory that can be
// written, for words that are its address, and from there back to the object that the word is part of.

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__)

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  page_size = 4096,
  part_size = 64 * page_size,
  // How far before the reference an object may begin. Only arrays are that long.
  longest = 1 << 16,
};

static const uintptr_t largest = (uintptr_t)1 << 36;

/// What an enum may put into a reference to mark a case.
static const uintptr_t marks = 0xf000000000000007;

typedef struct {
  sleepless_describe describe;
  const uintptr_t *targets;
  size_t target_count;
  uintptr_t lowest, span;
  int64_t deadline;
  sleepless_step *steps;
  size_t capacity, count;
  bool is_complete;
  char *bytes;
} search;

static bool is_target(search *s, uintptr_t address) {
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

/// Finds the object that a reference is part of, if it is a strong one.
static void consider(search *s, uintptr_t place, uintptr_t held) {
  // Copies of memory look like memory.
  if (sleepless_is_copy(place)) return;
  if (place >= (uintptr_t)s->bytes && place < (uintptr_t)s->bytes + part_size) return;
  for (uintptr_t start = (place - 16) & ~(uintptr_t)15; place - start < longest; start -= 16) {
    sleepless_step step;
    if (!sleepless_holds(s->describe, start, place, held, &step)) continue;
    if (is_known(s, start, held)) return;
    if (s->count == s->capacity) {
      s->is_complete = false;
      return;
    }
    s->steps[s->count++] = step;
    return;
  }
}

/// Looks through pages that are there.
static void look_through(search *s, uintptr_t start, size_t size) {
  if (!sleepless_read_now(start, s->bytes, size)) return;
  const uint64_t *words = (const uint64_t *)s->bytes, *end = words + size / 8;
  for (const uint64_t *word = words; word != end; word++) {
    if ((*word & ~marks) - s->lowest > s->span || !is_target(s, *word & ~marks)) continue;
    consider(s, start + (uintptr_t)(word - words) * 8, *word & ~marks);
  }
}

/// Pages that nobody has touched are left alone; a thread's stack is mostly that.
static void look_through_region(search *s, uintptr_t start, uintptr_t end) {
  unsigned char is_there[part_size / page_size];
  for (uintptr_t part = start; part < end; part += part_size) {
    if (sleepless_time_worked() > s->deadline) s->is_complete = false;
    if (!s->is_complete) return;
    size_t size = end - part < part_size ? end - part : part_size, pages = size / page_size;
    if (mincore((void *)part, size, is_there) != 0) continue;
    for (size_t first = 0; first < pages;) {
      size_t last = first;
      while (last < pages && is_there[last] & 1) last++;
      if (last > first) {
        look_through(s, part + first * page_size, (last - first) * page_size);
      }
      first = last + 1;
    }
  }
}

/// The list of what is mapped where: `start-end rw-p offset device inode path`.
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
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, uint64_t budget,
    sleepless_step *steps, size_t capacity, size_t *step_count) {
  *step_count = 0;
  if (!target_count) return sleepless_not_found;
  search s = {.describe = describe, .targets = targets, .target_count = target_count,
              .steps = steps, .capacity = capacity, .is_complete = true};
  s.deadline = sleepless_time_worked() + (int64_t)budget;
  uintptr_t highest = 0;
  s.lowest = UINTPTR_MAX;
  for (size_t i = 0; i < target_count; i++) {
    if (targets[i] < s.lowest) s.lowest = targets[i];
    if (targets[i] > highest) highest = targets[i];
  }
  s.span = highest - s.lowest;
  char *map = read_map();
  // Not from the allocator, as what is looked through.
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
    look_through_region(&s, start, end);
  }
  if (s.bytes) munmap(s.bytes, part_size);
  free(map);
  *step_count = s.count;
  if (!s.is_complete) return sleepless_gave_up;
  return s.count ? sleepless_found : sleepless_not_found;
}

#else

sleepless_finding sleepless_find_holders(
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, uint64_t budget,
    sleepless_step *steps, size_t capacity, size_t *step_count) {
  *step_count = 0;
  return sleepless_gave_up;
}

#endif
