// virtual time: all sleeps are in simulations
#if os(Linux)
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// A wait for a condition of C lasts until a date in virtual time, by the condition's clock (S10).
  @Suite(.needs(.operations), .needs(.clocks)) struct ConditionClockTests {
    @Test(arguments: [CLOCK_REALTIME, CLOCK_MONOTONIC])
    func `S10 a wait for a condition of C lasts until it is signalled, or to the date by its clock`(
      clock: clockid_t
    ) async throws {
      let outcome = await Simulation.run {
        let condition = ConditionOfC(clock)
        Task {
          sleepThread(.seconds(1))
          condition.signal()
        }
        let start = ContinuousClock.now
        let signalled = condition.wait(seconds: 2)
        let first = ContinuousClock.now
        let late = condition.wait(seconds: 2)
        return (signalled, first - start, late, ContinuousClock.now - first)
      }
      let (signalled, first, late, second) = try #require(outcome.result).get()
      #expect(signalled == 0 && first == .seconds(1))
      #expect(late == ETIMEDOUT && second == .seconds(2))
    }
  }

  private final class ConditionOfC: @unchecked Sendable {
    // Unchecked because of the pointers, which never change.
    private let clock: clockid_t
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init(_ clock: clockid_t) {
      self.clock = clock
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, clock)
      pthread_cond_init(condition, &attributes)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    func signal() { pthread_cond_signal(condition) }

    func wait(seconds: Int) -> CInt {
      var date = timespec()
      clock_gettime(clock, &date)
      date.tv_sec += seconds
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return pthread_cond_timedwait(condition, mutex, &date)
    }
  }
#endif
