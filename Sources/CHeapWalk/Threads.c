// Finds the values that threads keep with pthread_setspecific.
//
// The C library has no function for the values of another thread. They lie in the thread's control block, at
// `pthread_self()`. The kernel tells of each thread where the list of its robust mutexes is, which is part of the same
// block. The places in the block are found by a sample; the names and the layout are those of glibc's `struct pthread`.

#define _GNU_SOURCE
#include "CHeapWalk.h"

#if defined(__linux__) && defined(__LP64__) && !defined(SLEEPLESS_AS_ON_APPLE)

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  /// No control block is larger.
  block_limit = 4096,
  word_count = block_limit / sizeof(uintptr_t),
  /// A thread has a table of groups, each with the values of so many keys. Its control block contains the first group.
  group_size = 32,
  group_count = 32,
};

/// A value, with the key's number of use at the time when it was set.
typedef struct {
  uintptr_t use, value;
} entry;

/// The places in a control block.
typedef struct {
  size_t robust_list, groups, first_group;
} places;

static places known;
static bool is_known;

static pid_t current_thread(void) { return (pid_t)syscall(SYS_gettid); }

/// The address of the list of a thread's robust mutexes; 0 if the kernel does not tell.
static uintptr_t robust_list(pid_t thread) {
  void *list = NULL;
  size_t size;
  return syscall(SYS_get_robust_list, thread, &list, &size) == 0 ? (uintptr_t)list : 0;
}

/// The addresses of a thread's groups; false if its control block is not found.
static bool read_groups(pid_t thread, places at, uintptr_t groups[group_count]) {
  uintptr_t list = robust_list(thread), block = list - at.robust_list;
  return list && sleepless_read_now(block + at.groups, groups, group_count * sizeof(uintptr_t)) &&
         groups[0] == block + at.first_group;
}

/// Whether an entry is the calling thread's or another's value of a key, and not left over from a key that is deleted.
/// `own` are the groups of the calling thread.
static bool is_current(entry found, pthread_key_t key, const uintptr_t own[group_count]) {
  // Setting NULL fails if the key does not exist. Otherwise it stores the key's current use, and changes nothing else.
  if (!pthread_getspecific(key) && pthread_setspecific(key, NULL) != 0) return false;
  uintptr_t group = own[key / group_size];
  entry mine;
  // Without this group the calling thread has never had a value of the key. Its use is not known then.
  return !group || !sleepless_read_now(group + key % group_size * sizeof(entry), &mine, sizeof mine) ||
         mine.use == found.use;
}

/// Calls `body` for each value of one thread.
static void visit_values(
    pid_t thread, const uintptr_t own[group_count], void *context, sleepless_thread_value_body body) {
  uintptr_t groups[group_count];
  if (!read_groups(thread, known, groups)) return;
  for (unsigned group = 0; group < group_count; group++) {
    entry entries[group_size];
    if (!groups[group] || !sleepless_read_now(groups[group], entries, sizeof entries)) continue;
    for (unsigned i = 0; i < group_size; i++) {
      if (!entries[i].value || !is_current(entries[i], group * group_size + i, own)) continue;
      body(context, thread, groups[group] + i * sizeof(entry) + offsetof(entry, value), entries[i].value);
    }
  }
}

/// The threads of the process, as far as some readings have listed them.
typedef struct {
  pid_t thread;
  int latest_reading;
} listed_thread;

typedef struct {
  listed_thread *elements;
  size_t count, capacity;
} thread_list;

/// Notes that a reading has listed a thread; returns whether the one before has listed it, too.
static bool note_thread(thread_list *list, pid_t thread, int reading) {
  for (size_t i = 0; i < list->count; i++) {
    listed_thread *known = &list->elements[i];
    if (known->thread != thread) continue;
    bool is_in_both = known->latest_reading == reading - 1;
    known->latest_reading = reading;
    return is_in_both;
  }
  if (list->count == list->capacity) {
    size_t larger = list->capacity ? 2 * list->capacity : 64;
    listed_thread *moved = realloc(list->elements, larger * sizeof(listed_thread));
    if (!moved) return false;
    list->elements = moved;
    list->capacity = larger;
  }
  list->elements[list->count++] = (listed_thread){thread, reading};
  return false;
}

/// Reads which threads the process has; returns whether they are those of the reading before.
static bool read_threads(thread_list *list, int reading) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return true;
  bool is_same = true;
  for (struct dirent *each; (each = readdir(threads));) {
    pid_t thread = (pid_t)strtol(each->d_name, NULL, 10);
    if (thread > 0 && !note_thread(list, thread, reading)) is_same = false;
  }
  closedir(threads);
  for (size_t i = 0; i < list->count; i++) {
    if (list->elements[i].latest_reading == reading - 1) is_same = false;
  }
  return is_same;
}

void sleepless_each_thread_value(void *context, sleepless_thread_value_body body) {
  enum { most_readings = 8 };
  uintptr_t own[group_count];
  if (!is_known || !read_groups(current_thread(), known, own)) return;
  thread_list list = {NULL, 0, 0};
  // A reading skips a thread if another one, before it in the folder, ends meanwhile. The one that has ended shows: it
  // is not in both of two readings.
  for (int reading = 1; reading <= most_readings && !read_threads(&list, reading); reading++) {}
  for (size_t i = 0; i < list.count; i++) visit_values(list.elements[i].thread, own, context, body);
  free(list.elements);
}

// The sample

/// Reads the calling thread's control block; what is not readable stays 0.
static void read_control_block(uintptr_t words[word_count]) {
  uintptr_t start = (uintptr_t)pthread_self();
  size_t to_page_end = block_limit - start % block_limit;
  memset(words, 0, block_limit);
  if (!sleepless_read_now(start, words, to_page_end) || to_page_end == block_limit) return;
  sleepless_read_now(start + to_page_end, (char *)words + to_page_end, block_limit - to_page_end);
}

/// Whether a group at this address has a value of a key.
static bool has_value(uintptr_t group, pthread_key_t key, uintptr_t value) {
  entry found;
  return group && sleepless_read_now(group + key % group_size * sizeof(entry), &found, sizeof found) &&
         found.value == value;
}

/// Finds the places in the calling thread's control block, by two of its values.
static bool find_places(const pthread_key_t keys[2], const uintptr_t values[2], places *found) {
  uintptr_t words[word_count], start = (uintptr_t)pthread_self(), list = robust_list(current_thread());
  if (list <= start || list - start >= block_limit) return false;
  read_control_block(words);
  size_t matches = 0;
  for (size_t table = 0; table + group_count <= word_count; table++) {
    uintptr_t first = words[table] - start;
    if (first >= block_limit || !has_value(words[table + keys[0] / group_size], keys[0], values[0]) ||
        !has_value(words[table + keys[1] / group_size], keys[1], values[1])) {
      continue;
    }
    *found = (places){list - start, table * sizeof(uintptr_t), first};
    matches++;
  }
  return matches == 1;
}

typedef struct {
  pid_t thread;
  uintptr_t value;
  size_t count;
} wanted_value;

static void count_value(void *context, int32_t thread, uintptr_t place, uintptr_t value) {
  wanted_value *wanted = context;
  (void)place;
  if (thread == wanted->thread && value == wanted->value) wanted->count++;
}

static bool is_value(pid_t thread, uintptr_t value) {
  wanted_value wanted = {thread, value, 0};
  sleepless_each_thread_value(&wanted, count_value);
  return wanted.count == 1;
}

/// Two keys, of which the second is not in the first group, and the values that the sampling thread has for them.
typedef struct {
  pid_t thread;
  pthread_key_t keys[2];
  uintptr_t values[2];
  bool holds;
} sample;

/// Compares what another thread sees while the sampling thread waits for it.
static void *compare_from_another_thread(void *argument) {
  sample *s = argument;
  int value = 0;
  pid_t thread = current_thread();
  if (pthread_setspecific(s->keys[0], &value) != 0) return NULL;
  bool sees_values = is_value(s->thread, s->values[0]) && is_value(s->thread, s->values[1]) &&
                     is_value(thread, (uintptr_t)&value);
  pthread_setspecific(s->keys[0], NULL);
  bool sees_removal = !is_value(thread, (uintptr_t)&value);
  // The value of a deleted key stays in its place, even if a new key has the same number.
  pthread_key_delete(s->keys[0]);
  bool is_left_out = !is_value(s->thread, s->values[0]);
  if (pthread_key_create(&s->keys[0], NULL) != 0) return NULL;
  s->holds = sees_values && sees_removal && is_left_out && !is_value(s->thread, s->values[0]);
  return NULL;
}

/// Makes keys until one is not in the first group, and returns that one. The others are deleted.
static bool make_later_key(pthread_key_t *later) {
  pthread_key_t others[group_size];
  unsigned count = 0;
  bool is_made = false;
  while (count < group_size && pthread_key_create(later, NULL) == 0) {
    is_made = *later >= group_size;
    if (is_made) break;
    others[count++] = *later;
  }
  for (unsigned i = 0; i < count; i++) pthread_key_delete(others[i]);
  return is_made;
}

bool sleepless_sample_thread_values(void) {
  sample s = {.thread = current_thread()};
  if (pthread_key_create(&s.keys[0], NULL) != 0) return false;
  if (make_later_key(&s.keys[1])) {
    for (int i = 0; i < 2; i++) {
      s.values[i] = (uintptr_t)&s.values[i];
      pthread_setspecific(s.keys[i], &s.values[i]);
    }
    is_known = find_places(s.keys, s.values, &known);
    pthread_t other;
    if (is_known && pthread_create(&other, NULL, compare_from_another_thread, &s) == 0) {
      pthread_join(other, NULL);
    }
    pthread_key_delete(s.keys[1]);
  }
  pthread_key_delete(s.keys[0]);
  return is_known = s.holds;
}

#else

bool sleepless_sample_thread_values(void) { return false; }
void sleepless_each_thread_value(void *context, sleepless_thread_value_body body) {}

#endif
