#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What keeps an object alive: see Heap.c.

/// Copies this process's memory, as it was at some moment since `sleepless_forget_memory`; false if
/// there is none to read.
bool sleepless_read(uintptr_t address, void *bytes, size_t size);

/// The same without a copy if it lies within one page; with one in `bytes` otherwise, null if there is
/// none to read. Until `sleepless_forget_memory`.
const void *sleepless_view(uintptr_t address, size_t size, void *bytes);

/// A place for a note about the object that begins at an address, null if that cannot be read. It may
/// be that of an earlier walk.
uint32_t *sleepless_slot(uintptr_t address);

/// Memory in which no search comes upon anything, to be unmapped.
void *sleepless_map_memory(size_t size);

/// Copies this process's memory as it is now.
bool sleepless_read_now(uintptr_t address, void *bytes, size_t size);

/// Whether an address lies in the program or a library, as they were loaded at the first question
/// since `sleepless_forget_memory`.
bool sleepless_is_in_program(uintptr_t address);

/// Has the runtime finish a type that nobody has used yet.
void sleepless_complete_type(const void *type);

/// Whether an address lies in one of the copies.
bool sleepless_is_copy(uintptr_t address);

/// Drops the copies.
void sleepless_forget_memory(void);

/// The usable size of a block of the allocator that begins at this address, 0 if none seems to.
size_t sleepless_block_size(uintptr_t address);

/// How a value holds others.
typedef enum {
  sleepless_holds_object,       // a strong reference
  sleepless_holds_existential,  // a value of any type, of which the word at 24 tells
  sleepless_holds_value,        // a value of `type`, an enum
  sleepless_holds_memory,       // a pointer to values of `type`; of null, to anything
  sleepless_holds_full_memory,  // the same, to as many as there is room for
  sleepless_holds_anything,     // `size` bytes of which nothing is known
  sleepless_holds_uncopyable,   // `size` bytes of a value of which reflection tells nothing
} sleepless_hold_kind;

typedef struct {
  uint32_t kind, offset, size;
  const void *type;
} sleepless_hold;

typedef enum {
  sleepless_shape_plain,       // `holds` and nothing else
  sleepless_shape_enum,        // `types` are the payloads of its cases, null for none
  sleepless_shape_array,       // elements of types[0], as many as the word at 16 says
  sleepless_shape_set,         // elements of types[0]
  sleepless_shape_dictionary,  // keys of types[0], values of types[1]
  sleepless_shape_box,         // a value of types[0] at `size`
  sleepless_shape_error,       // a value of the type at 16
} sleepless_shape;

/// What is known of a type: of a value's, or of a heap object's.
typedef struct {
  uint32_t shape, size, hold_count, type_count;
  /// Whether all that an object holds is in `holds`; the rest of its block is not.
  bool is_whole;
  /// Whether there is a rest, however small.
  bool has_unknown_tail;
  /// Whether C code links what it holds with what others of its kind hold: Dispatch's timers with all
  /// timers, its queues with their threads.
  bool is_hub;
  const sleepless_hold *holds;
  const void *const *types;
} sleepless_layout;

/// Describes a type's values, or what begins with this word on the heap; null if that is no object.
/// Answers are kept: they must stay.
typedef const sleepless_layout *(*sleepless_describe)(const void *metadata, bool is_on_heap);

typedef struct {
  uintptr_t address;
  /// 0: a heap object. Otherwise memory of which nothing is known.
  size_t size;
} sleepless_root;

typedef struct {
  uintptr_t holder;
  /// Where in the holder the reference is, as `sleepless_describe` has it: in an array its place in
  /// the block; in a set or dictionary the bucket, with `is_key`.
  uint64_t offset;
  uintptr_t held;
  bool is_memory;  // the holder is a block of memory, with values of `type`
  bool is_guess;   // the word may be something else than a reference
  bool is_key;
  const void *type;
} sleepless_step;

typedef enum {
  sleepless_found,
  sleepless_not_found,
  sleepless_gave_up,
} sleepless_finding;

/// The time that this thread has worked, in nanoseconds: how busy the machine is should not matter.
/// What happens once in a process, as learning of a type, does not count.
int64_t sleepless_time_worked(void);

/// What is followed where nothing is known of memory.
typedef enum {
  /// Nothing.
  sleepless_only_known,
  /// Words that look like references, but out of no hub.
  sleepless_guesses,
  /// The same, wherever they lead.
  sleepless_guesses_through_hubs,
} sleepless_care;

/// Looks for the shortest way from the roots to an object. One walk at a time.
///
/// Of a path of more than `capacity` steps it gives the two ends; `step_count` is how many there are.
sleepless_finding sleepless_find(
    sleepless_describe describe, const sleepless_root *roots, size_t root_count, uintptr_t target,
    sleepless_care care, uint64_t budget, sleepless_step *steps, size_t capacity, size_t *step_count,
    size_t *object_count);

/// Whether the object that begins at `holder` and takes in `place` holds another, and where. What is
/// in values that cannot be copied is guessed.
bool sleepless_holds(
    sleepless_describe describe, uintptr_t holder, uintptr_t place, uintptr_t held,
    sleepless_step *step);

/// Finds objects on the heap that hold one of the targets, wherever they are: see Holders.c.
///
/// Gives up when the budget is spent or there are more than `capacity`; what it has found counts.
sleepless_finding sleepless_find_holders(
    sleepless_describe describe, const uintptr_t *targets, size_t target_count, uint64_t budget,
    sleepless_step *steps, size_t capacity, size_t *step_count);

/// Whether all that hold an object, directly or not, are held by nothing but each other, and nobody
/// has a weak or unowned reference by which to get at them; but for one to each of `watched`.
sleepless_finding sleepless_is_closed(
    sleepless_describe describe, uintptr_t target, const uintptr_t *watched, size_t watched_count,
    uint64_t budget);

/// The strong references to an object, counted by the runtime; 0 for one that is going, or is
/// never freed.
uint64_t sleepless_strong_count(uintptr_t object);

/// The weak and unowned references to an object.
uint64_t sleepless_weak_count(uintptr_t object);

/// Calls back for each part of the program and its libraries whose memory can be written.
void sleepless_each_data_segment(void *context, void (*body)(void *context, uintptr_t, size_t));

/// The case that a copy of an enum's value is of, counted as its payloads are, and removes from the
/// copy what marks it.
unsigned sleepless_project_enum(const void *type, void *copy);
