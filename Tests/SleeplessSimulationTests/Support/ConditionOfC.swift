#if os(Linux)
  import Foundation

  /// A condition of C with its mutex.
  final class ConditionOfC: @unchecked Sendable {
    // Unchecked because of the pointers, which never change.
    private let clock: clockid_t
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    /// `clock` is the one by which its waits with a limit are timed.
    init(_ clock: clockid_t = CLOCK_REALTIME) {
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

    func broadcast() { pthread_cond_broadcast(condition) }

    func wait() {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      pthread_cond_wait(condition, mutex)
    }

    /// Returns zero if the condition was signalled, or `ETIMEDOUT`.
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
