// The facts about the runtime that the library relies on, in the order of their samples, and whether each holds in
// this process.

#include "CRuntimeHooks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name, *statement;
} fact_text;

static const fact_text texts[sleepless_fact_count] = {
    [sleepless_fact_stand_ins] =
        {"stand-ins", "the dynamic linker finds this library's definitions of the runtime's functions first"},
    [sleepless_fact_executor_shape] =
        {"executor-shape", "an executor is an object and, but for actors, a table of functions"},
    [sleepless_fact_job_kinds] = {"job-kinds", "the lowest byte of a job's flags is its kind, and 0 is a task"},
    [sleepless_fact_job_shape] = {"job-shape", "a job that is no task is a header, and a function to run"},
    [sleepless_fact_current_task] =
        {"current-task", "the runtime names the task that runs, and the executor that it prefers"},
    [sleepless_fact_creation_flags] =
        {"creation-flags", "the flags of a task's creation tell child tasks, detached tasks and enqueued tasks"},
    [sleepless_fact_creation_records] =
        {"creation-records", "the options of a task's creation are records with its name and its executors"},
    [sleepless_fact_child_tasks] =
        {"child-tasks", "async let and task groups create their tasks with functions that can be replaced"},
    [sleepless_fact_task_context] = {"task-context", "a task holds the function that it resumes in, and its context"},
    [sleepless_fact_task_status] = {"task-status", "a task holds whether it runs or is enqueued"},
    [sleepless_fact_task_endings] = {"task-endings", "a task's first context returns to the runtime when the task ends, with the error that it throws"},
    [sleepless_fact_task_cancels] = {"task-cancels", "a task is cancelled by a function that can be replaced"},
    [sleepless_fact_detached_locals] =
        {"detached-locals", "a flag of its creation gives a detached task the creator's task-local values"},
    [sleepless_fact_executor_ownership] =
        {"executor-ownership", "a task owns the executor in a record of its creation, and releases it at its end"},
    [sleepless_fact_actor_hops] = {"actor-hops", "a hop to an actor and back calls a function that can be replaced"},
    [sleepless_fact_sleeps] =
        {"sleeps", "a sleep gives its job and its duration to the executor that the task prefers"},
    [sleepless_fact_clocks] = {"clocks", "the standard library's clocks read the time with clock_gettime"},
    [sleepless_fact_closure_shape] =
        {"closure-shape", "a function is code and a context, which can be shared and restored"},
    [sleepless_fact_object_ends] = {"object-ends", "the program frees objects by a function that can be replaced"},
    [sleepless_fact_object_births] =
        {"object-births", "the runtime allocates objects by calls that can be replaced"},
    [sleepless_fact_runtime_executors] =
        {"runtime-executors", "the runtime's default executor and its main actor's executor take sleeps"},
    [sleepless_fact_process_executors] =
        {"process-executors", "the process's executors can be replaced, and jobs then come to the new ones"},
    [sleepless_fact_actor_jobs] =
        {"actor-jobs", "an actor's queue takes a job that is no task, and runs it in the actor"},
    [sleepless_fact_actor_executors] =
        {"actor-executors", "a task enters an actor under the executor that the hop names"},
    [sleepless_fact_reference_counts] = {"reference-counts", "an object's second word counts its references"},
    [sleepless_fact_value_layout] =
        {"value-layout", "a type's metadata tell its kind, and its values' size, stride and alignment"},
    [sleepless_fact_object_layout] =
        {"object-layout", "a class's metadata tell its size and the places and types of its properties"},
    [sleepless_fact_enum_layout] =
        {"enum-layout", "the metadata of enumerations and existentials tell what a value holds"},
    [sleepless_fact_closure_layout] = {"closure-layout", "the metadata of a closure's context tell what it captured"},
    [sleepless_fact_collection_layout] =
        {"collection-layout", "arrays, dictionaries and sets hold their elements behind a header"},
    [sleepless_fact_block_layout] =
        {"block-layout", "a block counts its references, and holds a function of Swift or a work item's block"},
    [sleepless_fact_thread_values] =
        {"thread-values", "a thread's control block has its thread-specific values, and is found from any thread"},
    [sleepless_fact_memory_snapshots] =
        {"memory-snapshots", "a child process keeps this process's memory as it was, and can be read"},
    [sleepless_fact_waits] = {"waits", "XCTest waits for expectations by calls that can be replaced"},
    [sleepless_fact_blocking_calls] =
        {"blocking-calls", "sleeps and waits for semaphores and groups are calls that can be replaced"},
    [sleepless_fact_dates] = {"dates", "Foundation's dates are read by calls that can be replaced"},
    [sleepless_fact_queues] =
        {"queues", "Dispatch's queues get work by calls that can be replaced, and keep their state where it is expected"},
    [sleepless_fact_conditions] =
        {"conditions", "threads and Foundation's operations wait for conditions by calls that can be replaced, and a condition "
                       "has the number of its clock"},
    [sleepless_fact_operations] =
        {"operations", "Foundation's operation queues give their work to queues of Dispatch in functions that are found"},
    [sleepless_fact_run_loops] =
        {"run-loops", "Foundation's run loops and timers are used by calls that can be replaced"},
    [sleepless_fact_program_clocks] =
        {"program-clocks", "the clocks of Dispatch, of C and of Foundation are read by calls that can be replaced"},
    [sleepless_fact_activity] =
        {"activity", "sleeping tasks, timers, threads that wait for work and looks outside the process show in calls that can be replaced"},
};

enum { is_unknown, holds, fails };
static _Atomic(int) states[sleepless_fact_count];

const char *sleepless_fact_name(sleepless_fact fact) { return texts[fact].name; }
const char *sleepless_fact_statement(sleepless_fact fact) { return texts[fact].statement; }

/// Whether `SLEEPLESS_RUNTIME` has a word. The variable is a list of words with commas between them.
static bool setting_has(const char *word, size_t length) {
  const char *rest = getenv("SLEEPLESS_RUNTIME");
  while (rest && *rest) {
    size_t count = strcspn(rest, ",");
    if (count == length && !memcmp(rest, word, length)) return true;
    rest += count;
    if (*rest) rest++;
  }
  return false;
}

bool sleepless_wants_report(void) { return setting_has("report", 6); }
bool sleepless_wants_public_runtime(void) { return setting_has("public", 6); }

static bool is_denied(sleepless_fact fact) {
  char word[64] = "without:";
  strncat(word, texts[fact].name, sizeof word - 9);
  return setting_has(word, strlen(word));
}

bool sleepless_note_fact(sleepless_fact fact, bool fact_holds) {
  bool fails_now = !fact_holds || is_denied(fact);
  int unknown = is_unknown;
  // A fact that has failed once is never changed to one that holds.
  if (!atomic_compare_exchange_strong(&states[fact], &unknown, fails_now ? fails : holds) && fails_now) {
    atomic_store(&states[fact], fails);
  }
  return atomic_load(&states[fact]) == holds;
}

bool sleepless_fact_fails(sleepless_fact fact) { return atomic_load(&states[fact]) == fails; }

void sleepless_print_line(const char *line) { fprintf(stderr, "%s\n", line); }

void sleepless_print_facts(sleepless_fact first, sleepless_fact last) {
  static const char *const words[] = {[is_unknown] = "not sampled", [holds] = "holds", [fails] = "FAILS"};
  for (sleepless_fact fact = first; fact < last; fact++) {
    fprintf(stderr, "  %-12s %-18s %s\n", words[states[fact]], texts[fact].name, texts[fact].statement);
  }
}
