#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Finds the references that keep an object alive: see Heap.c.

/// Takes a snapshot of this process's memory. Searches read it until it is dropped. False if the system does not
/// support that; then they read the memory as it is at the moment. The cost grows with the number of pages in use.
bool sleepless_take_snapshot(void);

/// Whether a snapshot has the memory as it was, and not as it is.
bool sleepless_sample_snapshot(void);

/// Releases the snapshot, if there is one.
void sleepless_drop_snapshot(void);

/// Copies memory from the snapshot; if there is none, as it is now. Returns how many bytes were readable.
size_t sleepless_copy(uintptr_t address, void *bytes, size_t size);

/// Copies this process's memory as it is now; false if it is not readable.
bool sleepless_read_now(uintptr_t address, void *bytes, size_t size);

/// Reads the snapshot. Keeps a copy of the page, so without a snapshot the memory is as it was at some moment since
/// `sleepless_drop_copies`. False if the memory is not readable.
bool sleepless_read(uintptr_t address, void *bytes, size_t size);

/// The copy itself, if the bytes lie within one page; otherwise `bytes`, filled. Null if the memory
/// is not readable. Valid until `sleepless_drop_copies`.
const void *sleepless_view(uintptr_t address, size_t size, void *bytes);

/// A slot for one number about the object that begins at an address; null if that memory is not
/// readable. The number may be left over from an earlier walk.
uint32_t *sleepless_slot(uintptr_t address);

/// Maps memory that no search scans. The caller unmaps it.
void *sleepless_map_memory(size_t size);

/// Whether an address lies in the program or one of its libraries, as loaded at the first call
/// since `sleepless_drop_copies`.
bool sleepless_is_in_program(uintptr_t address);

/// Makes the runtime complete the metadata of a type that no code has used yet.
void sleepless_complete_type(const void *type);

/// Whether an address lies in one of the copies.
bool sleepless_is_copy(uintptr_t address);

/// Releases the copies.
void sleepless_drop_copies(void);

/// The usable size of the allocator's block that begins at this address; 0 if none seems to.
size_t sleepless_block_size(uintptr_t address);

/// A block, as in C.
typedef struct {
  size_t size, references;
  /// Whether it holds at most one reference: at `offset`, if that is not 0.
  bool is_known;
  size_t offset;
  uintptr_t held;
  /// Whether it holds a block. Otherwise it holds an object.
  bool holds_block;
} sleepless_block;

/// Reads the block at an address; false if there is none on the heap.
bool sleepless_read_block(uintptr_t address, sleepless_block *block);

/// How a value refers to objects and memory.
typedef enum {
  sleepless_holds_object,          // a strong reference
  sleepless_holds_leaf,            // a strong reference to an object that holds nothing, or other bits
  sleepless_holds_existential,     // a value of any type; the word at 24 is its type
  sleepless_holds_value,           // a value of `type`, an enum
  sleepless_holds_block,           // a pointer to a block
  sleepless_holds_memory,          // a pointer to values of `type`; null: to memory of unknown content
  sleepless_holds_full_memory,     // the same, to as many values as the block has room for
  sleepless_holds_counted_memory,  // the same, to as many values as the next word says
  sleepless_holds_unknown,         // `size` bytes of unknown content
  sleepless_holds_uncopyable,      // `size` bytes of a value that reflection does not describe
  sleepless_holds_weakly,          // a weak or unowned reference, which keeps nothing alive
} sleepless_hold_kind;

typedef struct {
  uint32_t kind, offset, size;
  const void *type;
} sleepless_hold;

typedef enum {
  sleepless_shape_plain,       // only `holds`
  sleepless_shape_enum,        // `types` are the payloads of its cases; null: no payload
  sleepless_shape_array,       // elements of types[0]; the word at 16 is their number
  sleepless_shape_set,         // elements of types[0]
  sleepless_shape_dictionary,  // keys of types[0], values of types[1]
  sleepless_shape_box,         // a value of types[0] at `size`
  sleepless_shape_error,       // a value of the type at 16
} sleepless_shape;

/// The layout of a type's values, or of a heap object.
typedef struct {
  uint32_t shape, size, hold_count, type_count;
  /// How many words of the object, from `size` on, `describe` needs for the layout; 0: none.
  uint32_t binding_count;
  /// Whether `holds` describes the whole object; the rest of its block holds nothing.
  bool is_whole;
  /// Whether the rest of the block is part of the object, however small it is.
  bool has_unknown_tail;
  /// Whether C code links the object with others of its kind: Dispatch links a timer with all
  /// timers, and a queue with its thread.
  bool is_hub;
  const sleepless_hold *holds;
  const void *const *types;
} sleepless_layout;

/// Describes a type's values, or the heap object that begins with this word; null if no object
/// does. The caller keeps the answers, so they must stay valid. `bindings` are the words that a layout with
/// `binding_count` depends on; null at first.
typedef const sleepless_layout *(*sleepless_describe)(
    const void *metadata, bool is_on_heap, const uintptr_t *bindings);

typedef struct {
  uintptr_t address;
  /// 0: a heap object. Otherwise the size of memory of unknown content.
  size_t size;
} sleepless_root;

typedef struct {
  uintptr_t holder;
  /// Where the reference lies in the holder, in the terms of `sleepless_describe`. In an array: the
  /// offset in the block. In a set or dictionary: the bucket, and `is_key`.
  uint64_t offset;
  uintptr_t held;
  bool is_memory;  // the holder is a block of memory, with values of `type`
  bool is_block;   // the holder is a block, as in C
  bool is_frames;  // the holder is memory in which a task keeps its functions' variables
  bool is_guess;   // the word may be something other than a reference
  bool is_key;
  const void *type;
} sleepless_step;

typedef enum {
  sleepless_found,
  sleepless_not_found,
  sleepless_gave_up,
} sleepless_finding;

/// Counts steps of a search: each finds an object, or reads sixteen elements of a collection or a page of memory. False
/// if fewer are left. Steps and not time, so that a search finds the same on a busy machine.
static inline bool sleepless_take_steps(uint64_t *left, uint64_t steps) {
  if (*left < steps) return false;
  *left -= steps;
  return true;
}

/// What a walk follows in memory of unknown content.
typedef enum {
  /// Nothing: the walk is precise. The memory of roots is the exception: the program's data and the frames of tasks.
  sleepless_precise,
  /// Words that look like references (a conservative scan), but not in hubs.
  sleepless_conservative,
  /// Words that look like references, in hubs too, but not in what is beyond a hub's own memory: Dispatch links
  /// it with other work.
  sleepless_conservative_into_hubs,
} sleepless_precision;

/// Finds the shortest path from the roots to an object. Only one walk may run at a time.
///
/// Does not follow words in the frames of tasks that lead to one of `not_held_by_frames`.
///
/// Writes both ends of a path of more than `capacity` steps; `step_count` is the full number of
/// steps.
sleepless_finding sleepless_find(
    sleepless_describe describe, const sleepless_root *roots, size_t root_count, uintptr_t target,
    sleepless_precision precision, const uintptr_t *not_held_by_frames, size_t not_held_count,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count, size_t *object_count);

/// Tells which objects are in a retain cycle with an object: it reaches them, and they reach it. Of a walk that
/// gives up, only those that it has found.
void sleepless_mark_cycle(
    sleepless_describe describe, uintptr_t target, sleepless_precision precision, uint64_t step_limit,
    const uintptr_t *objects, size_t count, bool *is_in_cycle);

/// Whether the object at `holder`, if its block includes `place`, holds another object, and where.
/// Values that cannot be copied are scanned conservatively, and with `scans_unknown` all memory of unknown content.
/// Takes its steps from `steps_left`.
bool sleepless_holds(
    sleepless_describe describe, uintptr_t holder, uintptr_t place, uintptr_t held,
    bool scans_unknown, uint64_t *steps_left, sleepless_step *step);

/// Finds heap objects that hold one of the targets, in all memory: see Holders.c. With `scans_unknown` also objects
/// that may hold one, as a guess: their memory of unknown content includes its address.
///
/// Gives up after `step_limit` steps or when there are more than `capacity` holders; the holders found
/// by then are valid.
sleepless_finding sleepless_find_holders(
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, bool scans_unknown,
    uint64_t step_limit, sleepless_step *steps, size_t capacity, size_t *step_count);

/// Whether the objects that hold an object, directly or not, are held only by each other, and no weak or unowned
/// reference leads to them. Two kinds of references are allowed: one to each of `watched`, and weak ones of objects
/// that only they hold.
sleepless_finding sleepless_is_closed(
    sleepless_describe describe, uintptr_t target, const uintptr_t *watched, size_t watched_count,
    uint64_t step_limit);

/// Whether an object's deinitialisation has begun. A search follows no guess to such an object: the memory of one that
/// has been freed looks the same. So an object that only a `deinit` under way still holds counts as unreached.
bool sleepless_is_deinitialising(uintptr_t object);

/// The runtime's count of strong references to an object; 0 for an object in deinitialisation and
/// for one that is never freed.
uint64_t sleepless_strong_count(uintptr_t object);

/// The weak and unowned references to an object.
uint64_t sleepless_weak_count(uintptr_t object);

/// The side table that has an object's counts, and that each weak reference to it points to; 0 if it has none.
uintptr_t sleepless_side_table(uintptr_t object);

/// Calls `body` for each writable data segment of the program and its libraries.
void sleepless_each_data_segment(void *context, void (*body)(void *context, uintptr_t, size_t));

/// Finds out where threads keep the values of `pthread_setspecific`; false if they are not where they are expected.
///
/// Makes keys and a thread, and ends them.
bool sleepless_sample_thread_values(void);

/// Gets the number of a thread, the place of one of its values, and the value.
typedef void (*sleepless_thread_value_body)(void *context, int32_t thread, uintptr_t place, uintptr_t value);

/// Calls `body` for the thread-specific values in the process; for none before the sample above has returned true. May
/// miss those of a thread if threads end all the time.
void sleepless_each_thread_value(void *context, sleepless_thread_value_body body);

/// Returns the case of an enum's value, as an index into its payloads, and strips the case's marks
/// from the copy.
unsigned sleepless_project_enum(const void *type, void *copy);
