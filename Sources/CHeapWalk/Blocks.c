// Reads blocks, as in C: a work item of Dispatch holds one.
//
// The layout is in https://clang.llvm.org/docs/Block-ABI-Apple.html, that of a work item's block in libdispatch's
// `dispatch_block_private_data_s`.

#define _GNU_SOURCE  // RTLD_DEFAULT
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <dlfcn.h>

enum {
  has_copy_function = 1 << 25,
  reference_mask = 0xfffe,
  header_size = 32,
  // In a block made of a Swift function: its code, and the reference to what it captured.
  swift_block_size = 48,
  context_offset = 40,
  // In a block of a work item: a mark, and further behind the block that it was made of.
  work_item_mark = 0xd159b10c,
  wrapped_offset = 72,
};

bool sleepless_read_block(uintptr_t address, sleepless_block *block) {
  static const void *malloc_block;
  if (!malloc_block) malloc_block = dlsym(RTLD_DEFAULT, "_NSConcreteMallocBlock");
  struct {
    const void *class;
    uint32_t flags, reserved;
    uintptr_t function, descriptor, first;
  } header;
  uintptr_t sizes[2];
  if (!malloc_block || !sleepless_read(address, &header, sizeof header) || header.class != malloc_block ||
      !sleepless_is_in_program(header.function) || !sleepless_read(header.descriptor, sizes, sizeof sizes)) {
    return false;
  }
  size_t size = sizes[1];
  // Each reference counts two; the lowest bit says that the block is being released.
  *block = (sleepless_block){.size = size, .references = (header.flags & reference_mask) / 2};
  if (size < sizeof header) return false;
  if (!(header.flags & has_copy_function)) {
    block->is_known = true;
  } else if (size == swift_block_size && sleepless_is_in_program(header.first)) {
    block->offset = context_offset;
    block->is_known = true;
  } else if (header.first == work_item_mark && size >= wrapped_offset + sizeof(uintptr_t)) {
    block->offset = wrapped_offset;
    block->holds_block = block->is_known = true;
  }
  return !block->offset || sleepless_read(address + block->offset, &block->held, sizeof block->held);
}

#else

bool sleepless_read_block(uintptr_t address, sleepless_block *block) { return false; }

#endif
