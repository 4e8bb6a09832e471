// Which code has called a library, Dispatch for example: the innermost call on this thread's stack that is not the
// library's own.
//
// The unwind tables tell it, except where functions have none: those of Dispatch's overlay for Swift, of which few have
// a frame pointer. Their instructions are read for what they have put on the stack, as debuggers do:
// https://sourceware.org/gdb/wiki/Internals ("Prologue Analysis").

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <string.h>
#include <unwind.h>

/// Where a function runs: the instruction to which a call returns, and the registers that describe its part of the
/// stack.
typedef struct {
  const uint8_t *address;
  const uintptr_t *stack, *frame;
} position;

/// What a function puts on the stack before its own code.
typedef struct {
  /// In words. Without meaning if the function has a frame pointer.
  size_t size;
  bool has_frame_pointer;
  /// The words down to and with its caller's frame pointer; 0 if the function does not put that on the stack.
  size_t frame_depth;
} prologue;

#if defined(__x86_64__)

/// Whether code jumps at once to a function that it was given.
static bool is_indirect_jump(const uint8_t *code) {
  if (*code == 0x41) code++;
  return code[0] == 0xff && (code[1] & 0xf8) == 0xe0;
}

bool sleepless_is_direct_call(const void *address) {
  const uint8_t *code = address;
  if (code[-5] != 0xe8) return false;
  int32_t distance;
  memcpy(&distance, code - sizeof distance, sizeof distance);
  // A call in a library is one of a function there, or of a stub there for another library's.
  return sleepless_is_of_framework(code + distance) && !is_indirect_jump(code + distance);
}

/// The number of bytes of an instruction that pushes a register; 0 if it is another instruction.
static size_t push_length(const uint8_t *code) {
  if ((code[0] & 0xf8) == 0x50) return 1;
  return code[0] == 0x41 && (code[1] & 0xf8) == 0x50 ? 2 : 0;
}

static prologue read_prologue(const uint8_t *code, const uint8_t *end) {
  static const uint8_t marks_branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa}, copies_stack_pointer[] = {0x48, 0x89, 0xe5};
  prologue found = {0};
  if (code + sizeof marks_branch_target <= end && !memcmp(code, marks_branch_target, sizeof marks_branch_target)) {
    code += sizeof marks_branch_target;
  }
  size_t length;
  for (; code + 2 <= end && (length = push_length(code)); code += length) {
    found.size++;
    if (code[0] == 0x55) found.frame_depth = found.size;
  }
  if (code + 3 <= end && !memcmp(code, copies_stack_pointer, sizeof copies_stack_pointer)) found.has_frame_pointer = true;
  // The subtraction of a number of one byte, and of four bytes.
  if (code + 4 <= end && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec) found.size += code[3] / sizeof(uintptr_t);
  if (code + 7 <= end && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec) {
    uint32_t size;
    memcpy(&size, code + 3, sizeof size);
    found.size += size / sizeof(uintptr_t);
  }
  return found;
}

/// Whether the bytes before an address can be a call: to a fixed place, or to one in a register or in memory.
static bool ends_call(const uint8_t *address) {
  if (address[-5] == 0xe8) return true;
  for (int length = 2; length <= 7; length++) {
    if (address[-length] == 0xff && (address[1 - length] & 0x38) == 0x10) return true;
  }
  return false;
}

#else

#if defined(__aarch64__)
bool sleepless_is_direct_call(const void *address) {
  const int32_t *call = (const int32_t *)address - 1;
  if ((*call & 0xfc000000) != 0x94000000) return false;
  // The distance is a signed number of 26 bits, in instructions.
  const int32_t *callee = call + ((int32_t)((uint32_t)*call << 6) >> 6);
  bool is_indirect_jump = (*callee & 0xfffffc1f) == 0xd61f0000;
  return !is_indirect_jump;
}
#else
bool sleepless_is_direct_call(const void *address) {
  (void)address;
  return true;
}
#endif

// Each function that calls another one has a frame pointer.
static prologue read_prologue(const uint8_t *code, const uint8_t *end) { return (prologue){.has_frame_pointer = true}; }
static bool ends_call(const uint8_t *address) { return true; }

#endif

bool sleepless_is_after_call(code_range code, const void *address) {
  enum { longest_call = 8 };
  bool is_code = is_in(code, (const uint8_t *)address - longest_call) && is_in(code, address);
  return is_code && ends_call(address);
}

/// Goes on to the caller of the function that runs. Returns whether it was found.
static bool go_to_caller(position *position, uintptr_t stack_end) {
  Dl_info info;
  if (!dladdr(position->address, &info) || !info.dli_saddr) return false;
  prologue found = read_prologue(info.dli_saddr, position->address);
  const uintptr_t *place = found.has_frame_pointer ? position->frame + 1 : position->stack + found.size;
  bool is_on_stack = place >= position->stack && (uintptr_t)(place + 1) <= stack_end && (uintptr_t)place % sizeof *place == 0;
  if (!is_on_stack) return false;
  if (found.has_frame_pointer) {
    position->frame = (const uintptr_t *)*position->frame;
  } else if (found.frame_depth) {
    position->frame = (const uintptr_t *)*(place - found.frame_depth);
  }
  position->address = (const uint8_t *)*place;
  position->stack = place + 1;
  return sleepless_is_after_call(sleepless_code_around(position->address), position->address);
}

/// Finds where a call on this thread's stack returns to, whose address is known. The functions of this library that are
/// on the stack have frame pointers: the package manager compiles them so.
static bool find_position(const void *address, position *position, uintptr_t stack_end) {
  enum { most_calls = 16 };
  const uintptr_t *frame = __builtin_frame_address(0);
  for (int i = 0; i < most_calls; i++) {
    const uintptr_t *next = (const uintptr_t *)frame[0];
    if ((const void *)frame[1] == address) {
      position->address = address;
      position->stack = frame + 2;
      position->frame = next;
      return true;
    }
    bool is_frame = next > frame && (uintptr_t)(next + 2) <= stack_end && (uintptr_t)next % sizeof next == 0;
    if (!is_frame) return false;
    frame = next;
  }
  return false;
}

typedef struct {
  /// The library's code. Without it Dispatch's.
  code_range within;
  bool has_begun, has_ended;
  const void *address;
} caller_search;

static bool is_within(const caller_search *search, const void *address) {
  return search->within.end ? is_in(search->within, address) : sleepless_is_of_any_dispatch(address);
}

/// Looks at the next call of the unwind tables, from the innermost one on.
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *argument) {
  caller_search *search = argument;
  const void *address = (const void *)_Unwind_GetIP(frame);
  if (is_within(search, address)) {
    search->has_begun = true;
  } else if (search->has_begun) {
    search->address = address;
    search->has_ended = true;
  }
  return search->has_ended ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Looks at the calls by what their functions' instructions do to the stack.
static void look_at_instructions(caller_search *search) {
  enum { most_calls = 16 };
  uintptr_t stack_end = sleepless_stack_end();
  position position;
  if (!stack_end || !find_position(search->address, &position, stack_end)) return;
  for (int i = 0; i < most_calls && go_to_caller(&position, stack_end); i++) {
    if (is_within(search, position.address)) continue;
    search->address = position.address;
    search->has_ended = true;
    return;
  }
}

static const void *search_caller(caller_search search) {
  if (!is_within(&search, search.address)) return search.address;
  _Unwind_Backtrace(look_at_frame, &search);
  if (!search.has_ended) look_at_instructions(&search);
  return search.address;
}

const void *sleepless_caller_of_dispatch(const void *address) {
  return search_caller((caller_search){.address = address});
}

const void *sleepless_caller_of_library(const void *address) {
  return search_caller((caller_search){.within = sleepless_code_around(address), .address = address});
}

extern void *_Unwind_FindEnclosingFunction(void *address);

const void *sleepless_function_of(const void *caller) {
  const void *function = _Unwind_FindEnclosingFunction((void *)caller);
  return function ? function : caller;
}

#endif
