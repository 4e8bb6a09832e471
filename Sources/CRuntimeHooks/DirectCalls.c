// While there is no context, the toolchain's libraries call some real functions directly, and not this library's
// stand-ins; Linux only.
//
// A library calls another library's function through a table of addresses of its own. The dynamic linker fills in an
// entry when it loads the library, or at the first call, and finds this library's definition first. While there is no
// context that definition only passes the call on, which takes some nanoseconds. A semaphore's calls take not much more
// themselves. So the entries hold the addresses of the real functions then.
//
// A direct call may be under way when a simulation begins. It does not look for threads that wait in simulations, but
// its signal stays in the semaphore, and its group stays empty until it is entered again. So a driver tries the waits
// again once after each step, when nothing else can run, and before it tells a deadlock (`tryWaitsAgain`).

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <link.h>
#include <pthread.h>
#include <string.h>

typedef struct {
  const char *name;
  const void *stand_in;
  /// Null if this library's definition does not stand in front of another one.
  void *real;
} direct_function;

extern intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t deadline);
extern intptr_t dispatch_semaphore_signal(void *semaphore);
extern intptr_t dispatch_group_wait(void *group, uint64_t deadline);
extern void dispatch_group_leave(void *group);
extern void dispatch_async(void *queue, const void *block);
extern void dispatch_sync(void *queue, const void *block);
extern uint64_t dispatch_time(uint64_t when, int64_t delta);

/// While there is no context and waits are not measured, these stand-ins only pass calls on. Calls of libdispatch are
/// different: they make the thread count as idle.
static direct_function functions[] = {
    {"dispatch_semaphore_wait", dispatch_semaphore_wait},
    {"dispatch_semaphore_signal", dispatch_semaphore_signal},
    {"dispatch_group_wait", dispatch_group_wait},
    {"dispatch_group_leave", dispatch_group_leave},
    {"dispatch_async", dispatch_async},
    {"dispatch_sync", dispatch_sync},
    {"dispatch_time", dispatch_time},
    {"pthread_cond_signal", pthread_cond_signal},
    {"pthread_cond_broadcast", pthread_cond_broadcast},
};

/// An entry of a library's table, and the addresses that it holds in turn.
typedef struct {
  _Atomic(uintptr_t) *entry;
  uintptr_t stand_in, real;
} direct_call;

/// The toolchain's libraries have 16 such entries (Swift 6.3, x86_64). Entries beyond the limit keep the stand-ins.
enum { most_calls = 64 };
static direct_call calls[most_calls];
static int call_count;

/// Whether the entries hold the addresses of the real functions, or are about to.
static _Atomic(bool) is_direct;

/// What a library's dynamic section says about its calls of other libraries.
typedef struct {
  const ElfW(Rela) *relocations;
  size_t count;
  const ElfW(Sym) *symbols;
  const char *names;
  /// What the linker has made read-only after it had filled it.
  code_range read_only;
} call_table;

/// An address in a dynamic section. The GNU C library adds the library's own address to it in most libraries.
static const void *address_in(const struct dl_phdr_info *library, ElfW(Addr) value) {
  return (const void *)(value < library->dlpi_addr ? library->dlpi_addr + value : value);
}

static call_table table_of(const struct dl_phdr_info *library) {
  call_table table = {0};
  const ElfW(Dyn) *entry = NULL;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
    uintptr_t start = library->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_DYNAMIC) entry = (const ElfW(Dyn) *)start;
    if (segment->p_type == PT_GNU_RELRO) table.read_only = (code_range){start, start + segment->p_memsz};
  }
  bool has_addends = false;
  for (; entry && entry->d_tag != DT_NULL; entry++) {
    switch (entry->d_tag) {
      case DT_JMPREL: table.relocations = address_in(library, entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: table.count = entry->d_un.d_val / sizeof *table.relocations; break;
      case DT_PLTREL: has_addends = entry->d_un.d_val == DT_RELA; break;
      case DT_SYMTAB: table.symbols = address_in(library, entry->d_un.d_ptr); break;
      case DT_STRTAB: table.names = address_in(library, entry->d_un.d_ptr); break;
    }
  }
  bool is_complete = has_addends && table.relocations && table.symbols && table.names;
  if (!is_complete) table.count = 0;
  return table;
}

static void find_real_functions(void) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    direct_function *function = &functions[i];
    if (is_first(function->name, function->stand_in)) function->real = sleepless_next_definition(function->name);
  }
}

static const direct_function *function_named(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (!strcmp(functions[i].name, name)) return &functions[i];
  }
  return NULL;
}

#ifdef __x86_64__
enum { type_of_calls = R_X86_64_JUMP_SLOT };
#else
enum { type_of_calls = R_AARCH64_JUMP_SLOT };
#endif

static int make_direct(struct dl_phdr_info *library, size_t size, void *argument) {
  (void)size;
  (void)argument;
  code_range code = sleepless_code_around((const void *)library->dlpi_addr);
  bool is_of_toolchain = code.start && sleepless_is_of_system((const void *)code.start);
  if (!is_of_toolchain || code.start == sleepless_libdispatch.start) return 0;
  call_table table = table_of(library);
  for (size_t i = 0; i < table.count && call_count < most_calls; i++) {
    ElfW(Rela) relocation = table.relocations[i];
    if (ELF64_R_TYPE(relocation.r_info) != type_of_calls) continue;
    ElfW(Sym) symbol = table.symbols[ELF64_R_SYM(relocation.r_info)];
    const direct_function *function = symbol.st_shndx == SHN_UNDEF ? function_named(table.names + symbol.st_name) : NULL;
    _Atomic(uintptr_t) *entry = (_Atomic(uintptr_t) *)(library->dlpi_addr + relocation.r_offset);
    if (!function || !function->real || is_in(table.read_only, entry)) continue;
    // Before the first call the entry holds an address in the library itself. The code there asks the dynamic linker
    // for the function.
    uintptr_t present = atomic_load(entry), stand_in = (uintptr_t)function->stand_in;
    if (present != stand_in && !is_in(code, (const void *)present)) continue;
    uintptr_t real = (uintptr_t)function->real;
    calls[call_count++] = (direct_call){entry, stand_in, real};
    atomic_store(entry, real);
  }
  return 0;
}

int sleepless_begin_direct_calls(void) {
  // The thread sanitizer has definitions of its own, which must see the calls.
#if !__has_feature(thread_sanitizer)
  if (sleepless_log || atomic_load(&sleepless_context_count)) return 0;
  find_real_functions();
  dl_iterate_phdr(make_direct, NULL);
  atomic_store(&is_direct, call_count > 0);
#endif
  return call_count;
}

bool sleepless_has_direct_calls(void) {
  return call_count && atomic_load(calls[0].entry) == calls[0].real;
}

/// Held while the entries are changed.
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

// Who adds a context writes the count and then reads the flag. Who subtracts the last one writes the flag and then reads
// the count. So one of them sees what the other has written, and no context goes on while calls are direct.

void sleepless_add_context(void) {
  atomic_fetch_add(&sleepless_context_count, 1);
  if (!atomic_load(&is_direct)) return;
  pthread_mutex_lock(&changing);
  if (atomic_load(&is_direct)) {
    for (int i = 0; i < call_count; i++) atomic_store(calls[i].entry, calls[i].stand_in);
    atomic_store(&is_direct, false);
  }
  pthread_mutex_unlock(&changing);
}

void sleepless_subtract_context(void) {
  if (atomic_fetch_sub(&sleepless_context_count, 1) > 1 || !call_count) return;
  pthread_mutex_lock(&changing);
  if (!atomic_load(&is_direct)) {
    atomic_store(&is_direct, true);
    if (atomic_load(&sleepless_context_count)) {
      atomic_store(&is_direct, false);
    } else {
      for (int i = 0; i < call_count; i++) atomic_store(calls[i].entry, calls[i].real);
    }
  }
  pthread_mutex_unlock(&changing);
}

#else

int sleepless_begin_direct_calls(void) { return 0; }
bool sleepless_has_direct_calls(void) { return false; }
void sleepless_add_context(void) { atomic_fetch_add(&sleepless_context_count, 1); }
void sleepless_subtract_context(void) { atomic_fetch_sub(&sleepless_context_count, 1); }

#endif
