// Follows references from object to object, breadth first and without recursion over objects. Reads
// only copies of memory. Written in C, because tests run in debug builds, and a debug build of
// Swift code would be too slow for a million objects.

#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <stdlib.h>
#include <string.h>

// Layouts by metadata

enum { max_bindings = 16 };

/// The layout of closures that have the same metadata and begin with the same words.
typedef struct bound_layout {
  uintptr_t words[max_bindings];
  const sleepless_layout *layout;
  struct bound_layout *next;
} bound_layout;

typedef struct {
  uintptr_t key;  // the lowest bit is set for heap metadata, clear for a value's metadata
  const sleepless_layout *layout;
  bound_layout *bound;
} known_layout;

static known_layout *layouts;
static size_t layout_capacity, layout_count;

static known_layout *layout_place(uintptr_t key) {
  size_t mask = layout_capacity - 1, index = (key * 0x9E3779B97F4A7C15u >> 20) & mask;
  while (layouts[index].key && layouts[index].key != key) index = (index + 1) & mask;
  return &layouts[index];
}

static void grow_layouts(void) {
  known_layout *old = layouts;
  size_t old_capacity = layout_capacity;
  layout_capacity = old_capacity ? 2 * old_capacity : 4096;
  layouts = calloc(layout_capacity, sizeof(known_layout));
  if (!layouts) abort();
  for (size_t i = 0; i < old_capacity; i++) {
    if (old[i].key) *layout_place(old[i].key) = old[i];
  }
  free(old);
}

/// A cheap first test: most words on a heap are not metadata.
static bool looks_like_heap_metadata(uintptr_t address) {
  uintptr_t words[6];
  if (!sleepless_read(address, words, 8)) return false;
  switch (words[0]) {
  case 0: {  // a class
    if (!sleepless_read(address, words, sizeof words)) return false;
    uint32_t size = (uint32_t)words[3], mask = words[3] >> 32 & 0xffff;
    return size >= 16 && size < 1 << 24 && mask < 256 && !(mask & (mask + 1)) && !(words[5] & 3) &&
           sleepless_is_in_program(words[5]);
  }
  case 0x400:
  case 0x501:
  case 0x502:
  case 0x503: return sleepless_is_in_program(address);
  case 0x500:
    return sleepless_read(address, words, 24) && !(words[2] & 7) && sleepless_read(words[2], words, 8) &&
           words[0] <= 0x7ff;
  default: return false;
  }
}

static const sleepless_layout *layout_of(
    sleepless_describe describe, uintptr_t metadata, bool is_on_heap) {
  if (metadata < 0x10000 || metadata & 7 || metadata >> 47) return NULL;
  uintptr_t key = metadata | is_on_heap;
  // Neighbours often have the same type.
  static known_layout latest;
  if (latest.key == key) return latest.layout;
  if (layout_capacity) {
    known_layout *known = layout_place(key);
    if (known->key) return (latest = *known).layout;
  }
  if (is_on_heap && !looks_like_heap_metadata(metadata)) return NULL;
  const sleepless_layout *layout = describe((const void *)metadata, is_on_heap, NULL);
  if (layout_capacity <= 2 * layout_count) grow_layouts();
  *layout_place(key) = (known_layout){key, layout, NULL};
  layout_count++;
  return layout;
}

/// The layout of one closure, by the words it begins with. If they do not tell, the layout of its metadata.
static const sleepless_layout *bound_layout_of(
    sleepless_describe describe, uintptr_t object, uintptr_t metadata, const sleepless_layout *open) {
  uintptr_t words[max_bindings];
  size_t size = open->binding_count * sizeof(uintptr_t);
  if (open->binding_count > max_bindings || !sleepless_read(object + open->size, words, size)) return open;
  known_layout *known = layout_place(metadata | 1);
  for (bound_layout *bound = known->bound; bound; bound = bound->next) {
    if (!memcmp(bound->words, words, size)) return bound->layout;
  }
  bound_layout *new = calloc(1, sizeof(bound_layout));
  if (!new) return open;
  const sleepless_layout *layout = describe((const void *)metadata, true, words);
  memcpy(new->words, words, size);
  new->layout = layout ? layout : open;
  new->next = known->bound;
  known->bound = new;
  return new->layout;
}

// Value witness functions

enum {
  flags_offset = 80,
  enum_tag_offset = 88,
  project_offset = 96,
  is_not_plain = 0x10000,
  is_not_inline = 0x20000,
};

typedef unsigned (*enum_tag_function)(const void *value, const void *type);
typedef void (*project_function)(void *value, const void *type);

static const char *witnesses(const void *type) { return ((const char *const *)type)[-1]; }
static uint32_t value_flags(const void *type) {
  return *(const uint32_t *)(witnesses(type) + flags_offset);
}

static uint32_t stride_of(const void *type) {
  return (uint32_t) * (const uint64_t *)(witnesses(type) + 72);
}

unsigned sleepless_project_enum(const void *type, void *copy) {
  const char *functions = witnesses(type);
  unsigned tag = (*(const enum_tag_function *)(functions + enum_tag_offset))(copy, type);
  (*(const project_function *)(functions + project_offset))(copy, type);
  return tag;
}

// The walk

typedef struct {
  uintptr_t address, size;  // size 0: an object
  uint64_t offset;          // the offset of the reference in the holder
  union {
    const sleepless_layout *layout;  // of an object
    const void *type;                // of the values in memory, if known
  };
  uint32_t holder;  // UINT32_MAX: a root
  size_t first_edge, first_weak;  // the first of its edges and weak words, if it has any
  bool is_memory, is_full, is_guess, is_key;
  bool is_block;         // memory that is a block, as in C
  bool is_frames;        // memory in which a task keeps its functions' variables
  uint8_t hub_distance;  // 0: before a hub; 1: a hub; then the blocks of its memory; `beyond_hub`
} node;

enum {
  /// A timer's handler is the fourth block: source, registration, continuation, block.
  last_of_hub = 5,
  beyond_hub = 255,
};

typedef struct {
  uint32_t from, to;
} edge;

/// What a weak reference consists of: the address of the side table with the object's counts.
typedef struct {
  uint32_t from;
  uintptr_t side_table;
} weak_word;

typedef struct {
  sleepless_describe describe;
  uintptr_t target;
  const uintptr_t *not_held_by_frames;
  size_t not_held_count;
  bool is_conservative, avoids_hubs, scans_uncopyable, scans_unknown, keeps_edges, is_complete;
  bool seeks_leaf;  // the target may be an object that holds nothing
  bool is_guessing;  // what is scanned now may be no value
  uint64_t steps_left;
  node *nodes;
  size_t count, capacity;
  edge *edges;
  size_t edge_count, edge_capacity;
  weak_word *weak_words;
  size_t weak_count, weak_capacity;
  // The object of the current scan, and the result.
  uint32_t current;
  bool is_key, is_full, is_block, is_frames, is_found, found_guess, found_key;
  uint64_t found_offset;
} walk;

// A walk belongs to one thread. So the thread sanitizer need not check what runs for each word of memory; that would
// take most of the time of a test run.
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)

/// The number of the node at an address; the number of nodes if there is none.
static size_t node_at(walk *w, uintptr_t address) {
  uint32_t *slot = sleepless_slot(address);
  return slot && *slot < w->count && w->nodes[*slot].address == address ? *slot : w->count;
}

/// Frees an array, without the addresses in it. Another thread may get this memory for an object, and a search that
/// reads the object before it has its content could take these addresses for references.
static void free_cleared(void *elements, size_t size) {
  if (!elements) return;
  explicit_bzero(elements, size);
  free(elements);
}

/// An array with room for one more element, at its old address or a new one. Without memory it stays as it is,
/// the walk is not complete, and the result is null.
static void *with_room(walk *w, void *elements, size_t count, size_t *capacity, size_t element_size) {
  if (count < *capacity) return elements;
  size_t larger = *capacity ? 2 * *capacity : 1024;
  void *moved = malloc(larger * element_size);
  if (!moved) {
    w->is_complete = false;
    return NULL;
  }
  if (count) memcpy(moved, elements, count * element_size);
  free_cleared(elements, count * element_size);
  *capacity = larger;
  return moved;
}

static bool add_node(walk *w, node new) {
  if (w->count >= UINT32_MAX - 1) return w->is_complete = false;
  node *nodes = with_room(w, w->nodes, w->count, &w->capacity, sizeof(node));
  if (!nodes) return false;
  w->nodes = nodes;
  uint32_t *slot = sleepless_slot(new.address);
  if (slot) *slot = (uint32_t)w->count;
  nodes[w->count++] = new;
  return true;
}

static void add_edge(walk *w, uint32_t to) {
  edge *edges = with_room(w, w->edges, w->edge_count, &w->edge_capacity, sizeof(edge));
  if (!edges) return;
  w->edges = edges;
  edges[w->edge_count++] = (edge){w->current, to};
}

static void add_weak_word(walk *w, uintptr_t word) {
  weak_word *words = with_room(w, w->weak_words, w->weak_count, &w->weak_capacity, sizeof(weak_word));
  if (!words) return;
  w->weak_words = words;
  words[w->weak_count++] = (weak_word){w->current, word};
}

static const sleepless_layout *heap_layout(walk *w, uintptr_t object) {
  uintptr_t copy;
  const uintptr_t *metadata = object & 7 ? NULL : sleepless_view(object, 8, &copy);
  const sleepless_layout *layout = metadata ? layout_of(w->describe, *metadata, true) : NULL;
  if (!layout || !layout->binding_count) return layout;
  return bound_layout_of(w->describe, object, *metadata, layout);
}

/// How far what the current node holds is from a hub.
static uint8_t next_hub_distance(walk *w, const node *held) {
  if (!w->is_conservative) return 0;
  uint8_t distance = w->nodes[w->current].hub_distance;
  if (!distance) return !held->is_memory && held->layout->is_hub;
  if (!held->is_memory || distance >= last_of_hub) return beyond_hub;
  return distance + 1;
}

static void visit(walk *w, uintptr_t address, uint64_t offset, size_t memory_size, const void *type,
                 bool is_guess) {
  if (w->is_found) return;
  is_guess |= w->is_guessing;
  if (address == w->target && !w->keeps_edges) {
    w->is_found = true;
    w->found_offset = offset;
    w->found_guess = is_guess;
    w->found_key = w->is_key;
    return;
  }
  size_t known = node_at(w, address);
  if (known < w->count) {
    if (w->keeps_edges) add_edge(w, (uint32_t)known);
    return;
  }
  node new = {.address = address, .size = memory_size, .offset = offset, .holder = w->current,
              .is_memory = memory_size != 0, .is_full = w->is_full, .is_guess = is_guess,
              .is_key = w->is_key, .is_block = w->is_block, .is_frames = w->is_frames};
  if (memory_size) {
    new.type = type;
  } else {
    new.layout = heap_layout(w, address);
    // A variable still refers to an object in deinitialisation if code releases that before it stores another one.
    if (!new.layout || (is_guess && sleepless_is_deinitialising(address))) return;
  }
  new.hub_distance = next_hub_distance(w, &new);
  if (new.is_memory && new.hub_distance == beyond_hub && w->nodes[w->current].is_memory) return;
  if (!sleepless_take_steps(&w->steps_left, 1)) {
    w->is_complete = false;
    return;
  }
  if (add_node(w, new) && w->keeps_edges) add_edge(w, (uint32_t)w->count - 1);
}

/// The used size of a block in which a task keeps its functions' variables; 0 if it is none.
///
/// Such a block begins with an address in the runtime, the next block, its capacity and how much of it is used.
static size_t frames_size(uintptr_t block, size_t size) {
  enum { header = 24 };
  uintptr_t words[3];
  if (size < header || !sleepless_read(block, words, header) || !sleepless_is_in_program(words[0])) return 0;
  uint32_t capacity = (uint32_t)words[2], used = words[2] >> 32;
  bool is_next = !words[1] || sleepless_block_size(words[1]);
  return is_next && used <= capacity && header + (size_t)capacity <= size ? header + used : 0;
}

static bool is_task(uintptr_t object);

/// Whether the current node is memory in which a task that the caller passed as a root keeps its variables.
static bool is_in_frames(walk *w) {
  // A scan backwards meets tasks that have ended.
  if (w->scans_uncopyable) return false;
  const node *current = &w->nodes[w->current];
  if (current->is_frames) return true;
  return current->holder == UINT32_MAX && !current->is_memory && is_task(current->address);
}

static bool is_not_held_by_frames(walk *w, uintptr_t object) {
  for (size_t i = 0; i < w->not_held_count; i++) {
    if (w->not_held_by_frames[i] == object) return true;
  }
  return false;
}

/// Follows a word of unknown content if it looks like a reference.
static void scan_word(walk *w, uintptr_t word, uint64_t offset) {
  if (word < 0x10000 || word >> 47 || word & 7) return;
  bool is_frames = is_in_frames(w);
  if (is_frames && is_not_held_by_frames(w, word)) return;
  if (word == w->target) return visit(w, word, offset, 0, NULL, true);
  // The walk scans the program's data anyway.
  if (sleepless_is_in_program(word)) return;
  size_t size = w->is_conservative || is_frames ? sleepless_block_size(word) : 0;
  size_t used = is_frames && size ? frames_size(word, size) : 0;
  if (heap_layout(w, word)) {
    visit(w, word, offset, 0, NULL, true);
  } else if (used) {
    w->is_frames = true;
    visit(w, word, offset, used, NULL, true);
    w->is_frames = false;
  } else if (size && w->is_conservative) {
    visit(w, word, offset, size, NULL, true);
  }
}

static void scan_unknown(walk *w, const char *bytes, size_t size, uint64_t offset) {
  // The content of the program's data and of a task's frames is unknown. But if the caller passes them as a
  // root, they must be scanned.
  const node *holder = &w->nodes[w->current];
  bool is_data = holder->holder == UINT32_MAX && holder->is_memory;
  if (!w->is_conservative && !w->scans_uncopyable && !is_data && !is_in_frames(w)) return;
  size_t start = (8 - (offset & 7)) & 7;
  for (size_t i = start; i + 8 <= size && !w->is_found; i += 8) {
    uintptr_t word;
    memcpy(&word, bytes + i, 8);
    scan_word(w, word, offset + i);
  }
}

enum { max_depth = 32, max_enum = 1024, slack = 32, elements_per_step = 16 };

static void scan_value(
    walk *w, const sleepless_layout *layout, const void *type, const char *bytes, size_t size,
    uint64_t offset, int depth);

static void scan_type(
    walk *w, const void *type, const char *bytes, size_t size, uint64_t offset, int depth) {
  const sleepless_layout *layout = layout_of(w->describe, (uintptr_t)type, false);
  if (layout) scan_value(w, layout, type, bytes, size, offset, depth);
}

static void scan_existential(
    walk *w, const char *bytes, size_t size, uint64_t offset, int depth) {
  uintptr_t type, word;
  if (size < 32) return;
  memcpy(&type, bytes + 24, 8);
  memcpy(&word, bytes, 8);
  if (!type || !layout_of(w->describe, type, false)) return;
  uint32_t flags = value_flags((const void *)type);
  if (flags & is_not_inline) {
    visit(w, word, offset, 0, NULL, false);
  } else if (flags & is_not_plain) {
    scan_type(w, (const void *)type, bytes, 24, offset, depth);
  }
}

static void scan_enum(
    walk *w, const sleepless_layout *layout, const void *type, const char *bytes, size_t size,
    uint64_t offset, int depth) {
  if (layout->size > max_enum || size < layout->size) {
    return scan_unknown(w, bytes, size, offset);
  }
  // The enum's own functions return the case and strip its marks, in a copy.
  _Alignas(16) char copy[max_enum];
  memcpy(copy, bytes, layout->size);
  unsigned tag = sleepless_project_enum(type, copy);
  if (tag >= layout->type_count || !layout->types[tag]) return;
  uintptr_t payload = (uintptr_t)layout->types[tag];
  if (payload & 1) {  // indirect: a box
    uintptr_t box;
    memcpy(&box, copy, 8);
    return visit(w, box, offset, 0, NULL, false);
  }
  scan_type(w, (const void *)payload, copy, layout->size, offset, depth);
}

/// Follows a pointer to counted values: to the first, or in a conservative scan to all, which may not all be
/// initialised.
static void scan_counted_memory(walk *w, const sleepless_hold *hold, const char *place, uint64_t offset) {
  uintptr_t words[2];
  memcpy(words, place, sizeof words);
  if (!words[1]) return;
  size_t block = words[0] ? sleepless_block_size(words[0]) : 0, stride = stride_of(hold->type);
  if (!block || !stride) return;
  w->is_full = w->is_conservative;
  if (w->is_conservative && words[1] < block / stride) block = words[1] * stride;
  if (block) visit(w, words[0], offset, block, hold->type, w->is_conservative);
  w->is_full = false;
}

static void visit_block(walk *w, uintptr_t address, uint64_t offset) {
  sleepless_block block;
  if (!address || !sleepless_read_block(address, &block)) return;
  w->is_block = true;
  visit(w, address, offset, block.size, NULL, false);
  w->is_block = false;
}

static void scan_value(
    walk *w, const sleepless_layout *layout, const void *type, const char *bytes, size_t size,
    uint64_t offset, int depth) {
  if (depth > max_depth || w->is_found) return;
  if (layout->shape == sleepless_shape_enum) {
    return scan_enum(w, layout, type, bytes, size, offset, depth + 1);
  }
  for (uint32_t i = 0; i < layout->hold_count && !w->is_found; i++) {
    const sleepless_hold *hold = &layout->holds[i];
    if (hold->offset + (size_t)8 > size && hold->kind != sleepless_holds_value) continue;
    if (hold->offset + (size_t)hold->size > size) continue;
    const char *place = bytes + hold->offset;
    uint64_t at = offset + hold->offset;
    uintptr_t word = 0;
    if (hold->size >= 8) memcpy(&word, place, 8);
    switch (hold->kind) {
    case sleepless_holds_object:
      if (word) visit(w, word, at, 0, NULL, false);
      break;
    case sleepless_holds_leaf:
      if (word == w->target) visit(w, word, at, 0, NULL, false);
      break;
    case sleepless_holds_existential:
      scan_existential(w, place, size - hold->offset, at, depth + 1);
      break;
    case sleepless_holds_value:
      scan_type(w, hold->type, place, hold->size, at, depth + 1);
      break;
    case sleepless_holds_block: visit_block(w, word, at); break;
    case sleepless_holds_memory:
    case sleepless_holds_full_memory: {
      size_t block = word ? sleepless_block_size(word) : 0;
      w->is_full = hold->kind == sleepless_holds_full_memory;
      if (block) visit(w, word, at, block, hold->type, false);
      w->is_full = false;
      break;
    }
    case sleepless_holds_counted_memory: scan_counted_memory(w, hold, place, at); break;
    case sleepless_holds_unknown:
      if (!w->scans_uncopyable || w->scans_unknown) scan_unknown(w, place, hold->size, at);
      break;
    case sleepless_holds_uncopyable: scan_unknown(w, place, hold->size, at); break;
    case sleepless_holds_weakly:
      if (word && w->keeps_edges) add_weak_word(w, word);
      break;
    }
  }
}

// Objects

/// Counts steps of a scan; false if the walk has fewer left, and gives up.
static bool take_steps(walk *w, uint64_t steps) {
  // One scan covers the program's data, however large it is; only the objects found there count.
  const node *current = &w->nodes[w->current];
  if (current->holder == UINT32_MAX && current->is_memory) return true;
  if (sleepless_take_steps(&w->steps_left, steps)) return true;
  return w->is_complete = false;
}

/// Whether values with this layout may lead to the target.
static bool may_lead_on(walk *w, const sleepless_layout *layout) {
  if (layout->shape != sleepless_shape_plain) return true;
  if (w->seeks_leaf) return layout->hold_count;
  for (uint32_t i = 0; i < layout->hold_count; i++) {
    if (layout->holds[i].kind != sleepless_holds_leaf) return true;
  }
  return false;
}

/// Scans adjacent elements; `used` has a bit for each present element, null: all are present.
static void scan_elements(
    walk *w, uintptr_t start, uint64_t count, const void *type, uint32_t stride, uint64_t offset,
    const uint64_t *used, bool by_index) {
  const sleepless_layout *layout = layout_of(w->describe, (uintptr_t)type, false);
  if (!layout || !stride || !may_lead_on(w, layout)) return;
  if (stride > 65536) return;
  char bytes[stride];
  for (uint64_t i = 0; i < count && !w->is_found; i++) {
    if (i % elements_per_step == elements_per_step - 1 && !take_steps(w, 1)) return;
    if (used && !(used[i / 64] >> (i % 64) & 1)) continue;
    if (!sleepless_read(start + i * stride, bytes, stride)) return;
    // In sets and dictionaries the offset is the bucket's number.
    uint64_t at = by_index ? i << 16 : offset + i * stride;
    scan_value(w, layout, type, bytes, stride, at, 0);
  }
}

static void scan_buckets(walk *w, uintptr_t object, const sleepless_layout *layout) {
  bool is_dictionary = layout->shape == sleepless_shape_dictionary;
  uint8_t scale;
  uintptr_t keys, values;
  if (!sleepless_read(object + 32, &scale, 1) || scale > 40) return;
  if (!sleepless_read(object + 48, &keys, 8)) return;
  if (is_dictionary && !sleepless_read(object + 56, &values, 8)) return;
  uint64_t count = (uint64_t)1 << scale, words = (count + 63) / 64;
  uint64_t *used = malloc(words * 8);
  if (used && sleepless_read(object + (is_dictionary ? 64 : 56), used, words * 8)) {
    w->is_key = is_dictionary;
    scan_elements(
        w, keys, count, layout->types[0], stride_of(layout->types[0]), 0, used, true);
    if (!w->is_found) w->is_key = false;
    if (is_dictionary && !w->is_found) {
      scan_elements(
          w, values, count, layout->types[1], stride_of(layout->types[1]), 0, used, true);
    }
  }
  w->is_key = false;
  free(used);
}

static void scan_region(walk *w, uintptr_t start, size_t size, uint64_t offset) {
  char bytes[4096];
  for (size_t done = 0; done < size && !w->is_found;) {
    if (!take_steps(w, 1)) return;
    // To the end of a page: the next page may be missing.
    size_t part = 4096 - ((start + done) & 4095);
    if (part > size - done) part = size - done;
    if (sleepless_read(start + done, bytes, part)) {
      scan_unknown(w, bytes, part, offset + done);
    }
    done += part;
  }
}

static bool is_task(uintptr_t object) {
  uintptr_t metadata, kind;
  return sleepless_read(object, &metadata, 8) && sleepless_read(metadata, &kind, 8) &&
         (kind == 0x502 || kind == 0x503);
}

/// Follows the value or the error of a task that has ended.
///
/// Behind the words of its own, a task has how it ended, the type of its value, its error and its value: the runtime's
/// `FutureFragment`. Other content of these words is no type, and is not followed.
static void scan_result(walk *w, uintptr_t task) {
  enum { start = 26 * 8, has_succeeded = 1, has_failed = 2 };
  uintptr_t words[3];
  if ((!w->is_conservative && !w->scans_uncopyable) || !sleepless_read(task + start, words, sizeof words)) return;
  w->is_guessing = true;
  if (words[0] == has_failed) visit(w, words[2], start + 16, 0, NULL, true);
  if (words[0] == has_succeeded && layout_of(w->describe, words[1], false)) {
    const void *type = (const void *)words[1];
    uint64_t mask = value_flags(type) & 0xff, place = (start + sizeof words + mask) & ~mask;
    scan_elements(w, task + place, 1, type, stride_of(type), place, NULL, false);
  }
  w->is_guessing = false;
}

static void scan_object(walk *w, uintptr_t object, const sleepless_layout *layout) {
  if (layout->is_hub && (w->avoids_hubs || w->nodes[w->current].hub_distance == beyond_hub)) return;
  switch (layout->shape) {
  case sleepless_shape_array: {
    uint64_t count;
    if (!sleepless_read(object + 16, &count, 8)) return;
    return scan_elements(
        w, object + layout->size, count, layout->types[0], stride_of(layout->types[0]),
        layout->size, NULL, false);
  }
  case sleepless_shape_set:
  case sleepless_shape_dictionary: return scan_buckets(w, object, layout);
  case sleepless_shape_box:
  case sleepless_shape_error: {
    uintptr_t type = layout->shape == sleepless_shape_box ? (uintptr_t)layout->types[0] : 0;
    if (!type && !sleepless_read(object + 16, &type, 8)) return;
    const sleepless_layout *value = layout_of(w->describe, type, false);
    if (!value) return;
    uint64_t mask = value_flags((const void *)type) & 0xff;
    uint64_t start = ((layout->shape == sleepless_shape_box ? 16 : 32) + mask) & ~mask;
    return scan_elements(
        w, object + start, 1, (const void *)type, stride_of((const void *)type), start, NULL, false);
  }
  default: break;
  }
  if (layout->size > 16) {
    char few[512];
    char *copy = layout->size <= sizeof few ? few : malloc(layout->size);
    const char *bytes = copy ? sleepless_view(object, layout->size, copy) : NULL;
    if (bytes) scan_value(w, layout, NULL, bytes, layout->size, 0, 0);
    if (copy != few) free_cleared(copy, layout->size);
  }
  // A task's memory still contains the values of functions that have returned, and those hold
  // nothing. So only tasks that the caller passes as roots are scanned, and the results of the others.
  bool is_root = w->nodes[w->current].holder == UINT32_MAX && !w->scans_uncopyable;
  if (!is_root && is_task(object)) return scan_result(w, object);
  if (!layout->is_whole && (w->is_conservative || is_in_frames(w)) && !w->is_found) {
    size_t block = sleepless_block_size(object), start = (layout->size + 7) & ~(size_t)7;
    // A block may be a little larger than requested, with old content at its end.
    if (block > start + (layout->has_unknown_tail ? 0 : slack)) {
      scan_region(w, object + start, block - start, start);
    }
  }
}

static void scan_block(walk *w, uintptr_t address) {
  sleepless_block block;
  if (!sleepless_read_block(address, &block)) return;
  if (!block.is_known) return scan_region(w, address, block.size, 0);
  if (block.holds_block) return visit_block(w, block.held, block.offset);
  if (block.held) visit(w, block.held, block.offset, 0, NULL, false);
}

static void scan_node(walk *w, uint32_t index) {
  w->nodes[index].first_edge = w->edge_count;
  w->nodes[index].first_weak = w->weak_count;
  node n = w->nodes[index];
  w->current = index;
  if (!n.is_memory) return scan_object(w, n.address, n.layout);
  if (n.is_block) return scan_block(w, n.address);
  const sleepless_layout *layout =
      n.type ? layout_of(w->describe, (uintptr_t)n.type, false) : NULL;
  uint32_t stride = layout ? stride_of(n.type) : 0;
  if (!stride) return scan_region(w, n.address, n.size, 0);
  // The number of values is mostly unknown; the first is mostly present.
  uint64_t count = n.is_full ? n.size / stride : 1;
  scan_elements(w, n.address, count, n.type, stride, 0, NULL, false);
  // A block may be a little larger than requested, with old content at its end.
  if (!n.is_full && n.size > stride + slack && !w->is_found) {
    scan_region(w, n.address + stride, n.size - stride, stride);
  }
}

static void run(walk *w) {
  w->is_complete = true;
  const sleepless_layout *target = heap_layout(w, w->target);
  w->seeks_leaf = target && !target->hold_count && target->shape == sleepless_shape_plain;
  for (size_t next = 0; next < w->count && !w->is_found; next++) {
    scan_node(w, (uint32_t)next);
    if (!w->is_complete) return;
  }
}

#pragma clang attribute pop

static void add_root(walk *w, sleepless_root root) {
  if (node_at(w, root.address) < w->count) return;
  node new = {.address = root.address, .size = root.size, .holder = UINT32_MAX,
              .is_memory = root.size != 0};
  if (!new.is_memory) new.layout = heap_layout(w, root.address);
  if (new.layout && new.layout->is_hub) new.hub_distance = w->is_conservative;
  if (new.is_memory || new.layout) add_node(w, new);
}

static void end(walk *w) {
  free_cleared(w->nodes, w->count * sizeof(node));
  free(w->edges);
  free_cleared(w->weak_words, w->weak_count * sizeof(weak_word));
}

static sleepless_step step_to(walk *w, node *held, uint32_t holder) {
  node *from = &w->nodes[holder];
  return (sleepless_step){
      .holder = from->address, .offset = held->offset, .held = held->address, .is_memory = from->is_memory,
      .is_block = from->is_block, .is_frames = from->is_frames, .is_guess = held->is_guess, .is_key = held->is_key,
      .type = from->is_memory ? from->type : NULL};
}

sleepless_finding sleepless_find(
    sleepless_describe describe, const sleepless_root *roots, size_t root_count, uintptr_t target,
    sleepless_precision precision, const uintptr_t *not_held_by_frames, size_t not_held_count,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count, size_t *object_count) {
  walk w = {.describe = describe, .target = target, .is_conservative = precision != sleepless_precise,
            .avoids_hubs = precision == sleepless_conservative, .is_complete = true,
            .not_held_by_frames = not_held_by_frames, .not_held_count = not_held_count};
  w.steps_left = step_limit;
  for (size_t i = 0; i < root_count; i++) add_root(&w, roots[i]);
  run(&w);
  *object_count = w.count;
  *step_count = 0;
  if (w.is_found) {
    size_t count = 1;
    for (uint32_t i = w.current; w.nodes[i].holder != UINT32_MAX; i = w.nodes[i].holder) count++;
    *step_count = count;
    node last = {.address = target, .offset = w.found_offset, .is_guess = w.found_guess,
                 .is_key = w.found_key};
    uint32_t holder = w.current;
    node *held = &last;
    for (size_t i = count; i-- > 0;) {
      // Of a long path: its beginning and its end.
      size_t place = count > capacity && i >= capacity / 2 ? i - (count - capacity) : i;
      bool is_kept = count <= capacity || i < capacity / 2 || i >= count - capacity / 2;
      if (is_kept) steps[place] = step_to(&w, held, holder);
      held = &w.nodes[holder];
      holder = held->holder;
    }
  }
  sleepless_finding finding =
      w.is_found ? sleepless_found : w.is_complete ? sleepless_not_found : sleepless_gave_up;
  end(&w);
  return finding;
}

bool sleepless_holds(
    sleepless_describe describe, uintptr_t holder, uintptr_t place, uintptr_t held,
    bool scans_unknown, uint64_t *steps_left, sleepless_step *step) {
  walk w = {.describe = describe, .target = held, .scans_uncopyable = true, .seeks_leaf = true,
            .scans_unknown = scans_unknown, .is_complete = true, .steps_left = *steps_left};
  if (!heap_layout(&w, holder) || sleepless_block_size(holder) <= place - holder) return false;
  if (!sleepless_strong_count(holder)) return false;
  add_root(&w, (sleepless_root){holder, 0});
  if (w.count) scan_node(&w, 0);
  if (w.is_found) {
    node last = {.address = held, .offset = w.found_offset, .is_guess = w.found_guess,
                 .is_key = w.found_key};
    *step = step_to(&w, &last, 0);
  }
  *steps_left = w.steps_left;
  end(&w);
  return w.is_found;
}

/// Marks the nodes that reach the first one, over any number of steps; null if there is no memory.
static uint8_t *nodes_that_reach_the_first(walk *w) {
  uint8_t *reaches = calloc(w->count, 1);
  if (!reaches) return NULL;
  reaches[0] = 1;
  for (bool changed = true; changed && take_steps(w, 1 + w->edge_count / elements_per_step);) {
    changed = false;
    for (size_t i = w->edge_count; i-- > 0;) {
      edge e = w->edges[i];
      if (reaches[e.to] && !reaches[e.from]) reaches[e.from] = changed = true;
    }
  }
  return reaches;
}

void sleepless_mark_cycle(
    sleepless_describe describe, uintptr_t target, sleepless_precision precision, uint64_t step_limit,
    const uintptr_t *objects, size_t count, bool *is_in_cycle) {
  memset(is_in_cycle, 0, count * sizeof(bool));
  walk w = {.describe = describe, .target = target, .keeps_edges = true, .is_complete = true,
            .is_conservative = precision != sleepless_precise,
            .avoids_hubs = precision == sleepless_conservative};
  w.steps_left = step_limit;
  add_root(&w, (sleepless_root){target, 0});
  if (w.count) {
    run(&w);
    uint8_t *reaches = nodes_that_reach_the_first(&w);
    for (size_t i = 0; i < count && reaches; i++) {
      size_t node = node_at(&w, objects[i]);
      is_in_cycle[i] = node < w.count && reaches[node];
    }
    free(reaches);
  }
  end(&w);
}

/// The nodes to which no reference leads but those of other such nodes.
typedef struct {
  bool *is_inner;
  /// How many weak and unowned references from elsewhere lead to each node.
  int64_t *outside;
  uint32_t *removed;
  size_t removed_count;
} inner_set;

static void remove_inner(inner_set *set, size_t node) {
  if (!set->is_inner[node]) return;
  set->is_inner[node] = false;
  set->removed[set->removed_count++] = (uint32_t)node;
}

/// The node that a weak reference refers to; the number of nodes if there is none.
static size_t weak_target(walk *w, const weak_word *word) {
  uintptr_t object;
  if (!sleepless_read(word->side_table, &object, 8)) return w->count;
  // The first word of any memory may look like an object.
  return sleepless_side_table(object) == word->side_table ? node_at(w, object) : w->count;
}

/// Removes the nodes that code elsewhere may hold, strongly or weakly.
static void remove_held_elsewhere(
    walk *w, inner_set *set, uint32_t *holds, const uintptr_t *watched, size_t watched_count) {
  for (size_t i = 0; i < w->edge_count; i++) {
    const node *from = &w->nodes[w->edges[i].from];
    // Memory that code manages itself may have other users, and its first value may have been moved away.
    if (!from->is_memory || from->is_full || from->is_block) holds[w->edges[i].to]++;
  }
  for (size_t i = 0; i < w->count; i++) {
    if (!w->nodes[i].is_memory) set->outside[i] = (int64_t)sleepless_weak_count(w->nodes[i].address);
  }
  for (size_t i = 0; i < watched_count; i++) {
    size_t node = node_at(w, watched[i]);
    if (node < w->count) set->outside[node]--;
  }
  for (size_t i = 0; i < w->weak_count; i++) {
    size_t node = weak_target(w, &w->weak_words[i]);
    if (node < w->count) set->outside[node]--;
  }
  for (size_t i = 0; i < w->count; i++) {
    if (w->nodes[i].is_memory && !w->nodes[i].is_block) continue;
    sleepless_block block = {0};
    if (w->nodes[i].is_block) sleepless_read_block(w->nodes[i].address, &block);
    uint64_t count = w->nodes[i].is_block ? block.references : sleepless_strong_count(w->nodes[i].address);
    if (!count || count != holds[i] || set->outside[i]) remove_inner(set, i);
  }
}

/// Removes what the removed nodes refer to: code elsewhere may reach it through them.
///
/// The edges and the weak words are in the order of the nodes that they come from.
static void remove_what_they_reach(walk *w, inner_set *set) {
  for (size_t next = 0; next < set->removed_count && set->is_inner[0]; next++) {
    uint32_t from = set->removed[next];
    for (size_t i = w->nodes[from].first_edge; i < w->edge_count && w->edges[i].from == from; i++) {
      remove_inner(set, w->edges[i].to);
    }
    for (size_t i = w->nodes[from].first_weak; i < w->weak_count && w->weak_words[i].from == from; i++) {
      size_t node = weak_target(w, &w->weak_words[i]);
      if (node < w->count) remove_inner(set, node);
    }
  }
}

/// Whether no reference leads to the first node but those of nodes for which the same is true, and one to each of
/// `watched`. No counted reference from elsewhere leads to it then; code with an unmanaged pointer could still
/// release it.
static bool is_first_node_closed(walk *w, const uintptr_t *watched, size_t watched_count) {
  inner_set set = {.is_inner = malloc(w->count * sizeof(bool)),
                   .outside = calloc(w->count, sizeof(int64_t)),
                   .removed = malloc(w->count * sizeof(uint32_t))};
  uint32_t *holds = calloc(w->count, sizeof(uint32_t));
  bool is_closed = false;
  if (set.is_inner && set.outside && set.removed && holds) {
    memset(set.is_inner, true, w->count * sizeof(bool));
    remove_held_elsewhere(w, &set, holds, watched, watched_count);
    remove_what_they_reach(w, &set);
    is_closed = set.is_inner[0];
  }
  free(set.is_inner);
  free(set.outside);
  free(set.removed);
  free(holds);
  return is_closed;
}

sleepless_finding sleepless_is_closed(
    sleepless_describe describe, uintptr_t target, const uintptr_t *watched, size_t watched_count,
    uint64_t step_limit) {
  walk w = {.describe = describe, .target = target, .keeps_edges = true, .is_complete = true};
  w.steps_left = step_limit;
  add_root(&w, (sleepless_root){target, 0});
  if (!w.count) return sleepless_not_found;
  run(&w);
  bool is_closed = w.is_complete && is_first_node_closed(&w, watched, watched_count);
  sleepless_finding finding =
      is_closed ? sleepless_found : w.is_complete ? sleepless_not_found : sleepless_gave_up;
  end(&w);
  return finding;
}

#else

unsigned sleepless_project_enum(const void *type, void *copy) { return 0; }

sleepless_finding sleepless_find(
    sleepless_describe describe, const sleepless_root *roots, size_t root_count, uintptr_t target,
    sleepless_precision precision, const uintptr_t *not_held_by_frames, size_t not_held_count,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count, size_t *object_count) {
  *step_count = *object_count = 0;
  return sleepless_gave_up;
}

bool sleepless_holds(
    sleepless_describe describe, uintptr_t holder, uintptr_t place, uintptr_t held,
    bool scans_unknown, uint64_t *steps_left, sleepless_step *step) {
  return false;
}

void sleepless_mark_cycle(
    sleepless_describe describe, uintptr_t target, sleepless_precision precision, uint64_t step_limit,
    const uintptr_t *objects, size_t count, bool *is_in_cycle) {
  for (size_t i = 0; i < count; i++) is_in_cycle[i] = false;
}

sleepless_finding sleepless_is_closed(
    sleepless_describe describe, uintptr_t target, const uintptr_t *watched, size_t watched_count,
    uint64_t step_limit) {
  return sleepless_gave_up;
}

#endif
