// Foundation's dates. In a simulation they show virtual time: from the real date when one was read first. The
// dynamic linker finds these definitions first.
//
// Foundation, XCTest and Swift Testing go on to get real time, because their run loops and timers are real.
//
// A date is one number: the seconds since the beginning of 2001. The names are mangled as Swift mangles them.

#include "StandIns.h"

#ifdef SLEEPLESS_CAN_CAPTURE

#include <time.h>

#define SINCE_REFERENCE "$s20FoundationEssentials4DateV026timeIntervalSinceReferenceC0SdvgZ"
#define DATE_INIT "$s20FoundationEssentials4DateVACycfC"
#define DATE_INIT_SINCE_NOW "$s20FoundationEssentials4DateV20timeIntervalSinceNowACSd_tcfC"
#define SINCE_NOW "$s20FoundationEssentials4DateV20timeIntervalSinceNowSdvg"
#define DATE_NOW "$s20FoundationEssentials4DateV3nowACvgZ"

static const int64_t seconds_from_1970_to_2001 = 978307200;

static bool is_installed;

/// The latest date that Foundation has made from the real one on this thread, and how long after that it is.
static _Thread_local struct {
  double date, interval;
} latest_of_foundation;

bool sleepless_is_latest_date_of_foundation(double date, double *interval) {
  *interval = latest_of_foundation.interval;
  return date == latest_of_foundation.date;
}

/// Notes a real date if Foundation makes it for code of a simulation, which may set a timer to it.
static double noted(const void *caller, double date, double interval) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return date;
  if (sleepless_is_of_foundation(caller)) latest_of_foundation = (typeof(latest_of_foundation)){date, interval};
  return date;
}

/// Stores the date that a simulation's code sees now; false if the date is real.
static bool is_virtual(sleepless_date_call call, const void *caller, double *date) {
  if (!atomic_load_explicit(&sleepless_context_count, memory_order_relaxed)) return false;
  if (sleepless_sampling) sleepless_sampling->date_calls |= call;
  if (!is_installed || !sleepless_asks.clock_is_read) return false;
  // Foundation asks how far away a date is when it waits for a condition until then. The date is the program's.
  bool is_real = call == sleepless_date_since_now_call ? sleepless_is_of_test_framework(caller)
                                                       : sleepless_is_of_framework(caller);
  if (is_real) return false;
  const sleepless_context *executor_context = sleepless_current_context();
  if (!executor_context || !executor_context->has_clocks) return false;
  // The parts are exact. A number of nanoseconds since 1970 would not be as a `double`.
  int64_t time = sleepless_virtual_time(executor_context, CLOCK_REALTIME);
  int64_t seconds = time / 1000000000, nanoseconds = time % 1000000000;
  *date = (double)(seconds - seconds_from_1970_to_2001) + (double)nanoseconds / 1e9;
  return true;
}

typedef SWIFT_CALL double (*read_function)(void);
typedef SWIFT_CALL double (*convert_function)(double value);

STAND_IN SWIFT_CALL double sleepless_date_since_reference(void) __asm__(SINCE_REFERENCE);
SWIFT_CALL double sleepless_date_since_reference(void) {
  double date;
  if (sleepless_stops_date(CALLER)) return 0;
  return is_virtual(sleepless_date_since_reference_call, CALLER, &date) ? date : REAL(read_function, SINCE_REFERENCE)();
}

STAND_IN SWIFT_CALL double sleepless_date_init(void) __asm__(DATE_INIT);
SWIFT_CALL double sleepless_date_init(void) {
  double date;
  if (is_virtual(sleepless_date_init_call, CALLER, &date)) return date;
  return noted(CALLER, REAL(read_function, DATE_INIT)(), 0);
}

STAND_IN SWIFT_CALL double sleepless_date_init_since_now(double interval) __asm__(DATE_INIT_SINCE_NOW);
SWIFT_CALL double sleepless_date_init_since_now(double interval) {
  double date;
  if (is_virtual(sleepless_date_init_since_now_call, CALLER, &date)) return date + interval;
  return noted(CALLER, REAL(convert_function, DATE_INIT_SINCE_NOW)(interval), interval);
}

STAND_IN SWIFT_CALL double sleepless_date_since_now(double self) __asm__(SINCE_NOW);
SWIFT_CALL double sleepless_date_since_now(double self) {
  double date;
  return is_virtual(sleepless_date_since_now_call, CALLER, &date) ? self - date
                                                                  : REAL(convert_function, SINCE_NOW)(self);
}

STAND_IN SWIFT_CALL double sleepless_date_now(void) __asm__(DATE_NOW);
SWIFT_CALL double sleepless_date_now(void) {
  double date;
  return is_virtual(sleepless_date_now_call, CALLER, &date) ? date : REAL(read_function, DATE_NOW)();
}

bool sleepless_stands_in_for_date(void) { return is_first(SINCE_REFERENCE, sleepless_date_since_reference); }

bool sleepless_install_dates(void) {
  bool stands_in = sleepless_stands_in_for_date() && is_first(DATE_INIT, sleepless_date_init) &&
                   is_first(DATE_INIT_SINCE_NOW, sleepless_date_init_since_now) &&
                   is_first(SINCE_NOW, sleepless_date_since_now) && is_first(DATE_NOW, sleepless_date_now);
  return is_installed = stands_in && sleepless_find_frameworks();
}

void sleepless_uninstall_dates(void) { is_installed = false; }

#else

bool sleepless_install_dates(void) { return false; }
void sleepless_uninstall_dates(void) {}

#endif
