// The objects that the program's code makes, while something asks for them; Linux only.
//
// The standard library's `swift_slowAlloc` and `swift_slowDealloc` call `malloc` and `free` for every object, by way of
// its table of addresses (the global offset table). While objects are logged, that table leads to the functions below.
// At other times it does not, and a program pays nothing.
//
// The runtime has a variable for another `swift_allocObject`, meant for Instruments. It cannot be used: from then on
// `swift_retain` takes the characters of a short text for an address (`_swift_retain_adapterImpl`, Swift 6.3).

#define _GNU_SOURCE  // RTLD_DEFAULT
#include "Runtime.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern SWIFT_CALL void **swift_task_localValueGet(const void *variable);

// What is logged

typedef struct {
  uintptr_t address;  // 0: the place is free, 1: it was in use
  size_t size, order;
  const void *log;
} block;

enum { was_in_use = 1, least_capacity = 1 << 12 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;  // a hash table with linear probing
static size_t capacity, used, latest;
static _Atomic(size_t) block_count;
static _Atomic(const void *) log_variable;
static size_t logger_count;
static _Thread_local bool is_noting;

static block *place_of(uintptr_t address) {
  size_t mask = capacity - 1, index = (address * 0x9E3779B97F4A7C15u >> 20) & mask;
  while (blocks[index].address && blocks[index].address != address) index = (index + 1) & mask;
  return &blocks[index];
}

/// Makes room for one more block; false without memory.
static bool make_room(void) {
  if (2 * used < capacity) return true;
  size_t old_capacity = capacity, larger = least_capacity;
  while (larger < 4 * (block_count + 1)) larger *= 2;
  block *old = blocks, *new = calloc(larger, sizeof(block));
  if (!new) return used + 1 < capacity;
  blocks = new;
  capacity = larger;
  used = block_count;
  for (size_t i = 0; i < old_capacity; i++) {
    if (old[i].address > was_in_use) *place_of(old[i].address) = old[i];
  }
  free(old);
  return true;
}

static void note(void *memory, size_t size) {
  const void *variable = atomic_load(&log_variable);
  if (!memory || !variable || is_noting) return;
  is_noting = true;
  void **log = swift_task_localValueGet(variable);
  if (log && *log) {
    pthread_mutex_lock(&lock);
    // The logging may have ended meanwhile, and with it the notes of what is freed.
    if (logger_count && make_room()) {
      block *place = place_of((uintptr_t)memory);
      if (!place->address) used++;
      if (place->address != (uintptr_t)memory) block_count++;
      *place = (block){(uintptr_t)memory, size, ++latest, *log};
    }
    pthread_mutex_unlock(&lock);
  }
  is_noting = false;
}

static void forget(void *memory) {
  pthread_mutex_lock(&lock);
  block *place = capacity ? place_of((uintptr_t)memory) : NULL;
  if (place && place->address) {
    place->address = was_in_use;
    block_count--;
  }
  pthread_mutex_unlock(&lock);
}

// The functions in place of the allocator's

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);
static int (*real_posix_memalign)(void **, size_t, size_t);

static void *malloc_and_note(size_t size) {
  void *memory = real_malloc(size);
  note(memory, size);
  return memory;
}

static int posix_memalign_and_note(void **memory, size_t alignment, size_t size) {
  int error = real_posix_memalign(memory, alignment, size);
  if (!error) note(*memory, size);
  return error;
}

static void forget_and_free(void *memory) {
  // Before it is free: another thread may get the same address at once.
  if (memory && atomic_load(&block_count)) forget(memory);
  real_free(memory);
}

// The standard library's table

typedef struct {
  const char *name;
  void *real, *replacement;
  _Atomic(void *) *slot;
} entry;

static entry entries[3];

/// Finds the places of the table that have the addresses of the allocator's functions.
static int find_slots(struct dl_phdr_info *image, size_t size, void *function) {
  uintptr_t address = (uintptr_t)function;
  const ElfW(Dyn) *dynamic = NULL;
  uintptr_t constant_start = 0, constant_end = 0;
  bool is_image = false;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &image->dlpi_phdr[i];
    uintptr_t start = image->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
    if (header->p_type == PT_LOAD && start <= address && address < end) is_image = true;
    if (header->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
    if (header->p_type == PT_GNU_RELRO) constant_start = start & ~(uintptr_t)4095, constant_end = end & ~(uintptr_t)4095;
  }
  if (!is_image) return 0;
  const ElfW(Rela) *calls = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  size_t call_size = 0;
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    if (dynamic->d_tag == DT_JMPREL) calls = (const void *)dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_PLTRELSZ) call_size = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_SYMTAB) symbols = (const void *)dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_STRTAB) names = (const void *)dynamic->d_un.d_ptr;
  }
  if (!calls || !symbols || !names) return 1;
  for (size_t i = 0; i < call_size / sizeof *calls; i++) {
    const char *name = names + symbols[ELF64_R_SYM(calls[i].r_info)].st_name;
    uintptr_t slot = image->dlpi_addr + calls[i].r_offset;
    if (constant_start <= slot && slot < constant_end) continue;
    for (size_t j = 0; j < 3; j++) {
      if (!strcmp(name, entries[j].name)) entries[j].slot = (_Atomic(void *) *)slot;
    }
  }
  return 1;
}

static void find_table(void) {
  void *function = dlsym(RTLD_DEFAULT, "swift_slowAlloc");
  entries[0] = (entry){"malloc", dlsym(RTLD_DEFAULT, "malloc"), malloc_and_note, NULL};
  entries[1] = (entry){"free", dlsym(RTLD_DEFAULT, "free"), forget_and_free, NULL};
  entries[2] = (entry){"posix_memalign", dlsym(RTLD_DEFAULT, "posix_memalign"), posix_memalign_and_note, NULL};
  real_malloc = (void *(*)(size_t))entries[0].real;
  real_free = (void (*)(void *))entries[1].real;
  real_posix_memalign = (int (*)(void **, size_t, size_t))entries[2].real;
  if (function) dl_iterate_phdr(find_slots, function);
}

static bool has_table(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_table);
  for (size_t i = 0; i < 3; i++) {
    if (!entries[i].real || !entries[i].slot) return false;
  }
  return true;
}

// Logging

bool sleepless_begin_logging(const void *variable) {
  if (!has_table()) return false;
  pthread_mutex_lock(&lock);
  logger_count++;
  atomic_store(&log_variable, variable);
  // `free` first: what is noted has to be forgotten.
  for (size_t i = 0; i < 3; i++) atomic_store(entries[(i + 1) % 3].slot, entries[(i + 1) % 3].replacement);
  pthread_mutex_unlock(&lock);
  return true;
}

void sleepless_end_logging(void) {
  pthread_mutex_lock(&lock);
  if (--logger_count == 0) {
    for (size_t i = 0; i < 3; i++) atomic_store(entries[i].slot, entries[i].real);
    block_count = used = 0;
    if (blocks) memset(blocks, 0, capacity * sizeof(block));
  }
  pthread_mutex_unlock(&lock);
}

void sleepless_forget_log(const void *log) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < capacity && block_count; i++) {
    if (blocks[i].address <= was_in_use || blocks[i].log != log) continue;
    blocks[i].address = was_in_use;
    block_count--;
  }
  pthread_mutex_unlock(&lock);
}

/// Other threads may write these words now.
__attribute__((no_sanitize("thread", "address"))) static uintptr_t word_at(uintptr_t address) {
  return *(volatile uintptr_t *)address;
}

typedef struct {
  sleepless_logged_block block;
  size_t order;
} ordered_block;

static int compare_order(const void *one, const void *other) {
  size_t first = ((const ordered_block *)one)->order, second = ((const ordered_block *)other)->order;
  return first < second ? -1 : first > second;
}

void sleepless_each_logged(
    const void *log, void *context, void (*body)(void *context, const sleepless_logged_block *block)) {
  pthread_mutex_lock(&lock);
  size_t count = 0;
  ordered_block *found = malloc((block_count + 1) * sizeof *found);
  for (size_t i = 0; found && i < capacity; i++) {
    const block *b = &blocks[i];
    if (b->address <= was_in_use || b->log != log || b->size < 2 * sizeof(uintptr_t)) continue;
    found[count++] = (ordered_block){
        {b->address, b->size, word_at(b->address), word_at(b->address + sizeof(uintptr_t))}, b->order};
  }
  pthread_mutex_unlock(&lock);
  if (found) qsort(found, count, sizeof *found, compare_order);
  for (size_t i = 0; i < count; i++) body(context, &found[i].block);
  free(found);
}

typedef struct {
  uintptr_t address;
  bool is_found;
} sought;

static void compare(void *context, const sleepless_logged_block *block) {
  sought *s = context;
  if (block->address == s->address) s->is_found = true;
}

static bool is_logged(const void *log, uintptr_t address) {
  sought s = {address, false};
  sleepless_each_logged(log, &s, compare);
  return s.is_found;
}

bool sleepless_logs_object(const void *variable, const void *log, void *(*make)(void), void (*release)(void *object)) {
  if (!sleepless_begin_logging(variable)) return false;
  void *object = make();
  bool is_there = is_logged(log, (uintptr_t)object);
  release(object);
  bool is_gone = !is_logged(log, (uintptr_t)object);
  sleepless_end_logging();
  return is_there && is_gone;
}

#else

bool sleepless_begin_logging(const void *variable) { return false; }
void sleepless_end_logging(void) {}
void sleepless_forget_log(const void *log) {}
void sleepless_each_logged(
    const void *log, void *context, void (*body)(void *context, const sleepless_logged_block *block)) {}
bool sleepless_logs_object(const void *variable, const void *log, void *(*make)(void), void (*release)(void *object)) {
  return false;
}

#endif
