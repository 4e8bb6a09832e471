// The tests of Swift Testing, for a process that measures its waits: when each of them begins and ends.
//
// Swift Testing keeps the test that runs in a task-local value. It binds the value around the test, by functions of the
// runtime, of which the dynamic linker finds these definitions first. Each looks which test runs, before the change and
// after it.

#include "StandIns.h"
#include "MeasuredWaits.h"

#ifdef SLEEPLESS_CAN_CAPTURE

static sleepless_test_hooks hooks;

void sleepless_watch_tests(sleepless_test_hooks new_hooks) {
  sleepless_find_frameworks();
  hooks = new_hooks;
}

static bool is_change_of_test(const void *caller) { return hooks.current && sleepless_is_of_testing(caller); }

typedef SWIFT_CALL void (*push_function)(const void *key, void *value, const void *type);

STAND_IN SWIFT_CALL void swift_task_localValuePush(const void *key, void *value, const void *type) {
  push_function push = REAL(push_function, "swift_task_localValuePush");
  if (!is_change_of_test(CALLER)) return push(key, value, type);
  int32_t outer = hooks.current();
  push(key, value, type);
  int32_t test = hooks.current();
  if (test && test != outer) hooks.begins(test);
}

typedef SWIFT_CALL void (*pop_function)(void);

STAND_IN SWIFT_CALL void swift_task_localValuePop(void) {
  pop_function pop = REAL(pop_function, "swift_task_localValuePop");
  if (!is_change_of_test(CALLER)) return pop();
  int32_t test = hooks.current();
  pop();
  if (test && test != hooks.current()) hooks.ends(test);
}

bool sleepless_stands_in_for_task_locals(void) {
  return is_first("swift_task_localValuePush", swift_task_localValuePush) &&
         is_first("swift_task_localValuePop", swift_task_localValuePop);
}

#else

void sleepless_watch_tests(sleepless_test_hooks hooks) {}
bool sleepless_stands_in_for_task_locals(void) { return false; }

#endif
