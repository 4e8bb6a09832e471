import SleeplessTesting

/// Fails a number of times before it answers, and records the time of each request.
actor FlakyServer {
  struct Down: Error, Equatable {
    let attempt: Int
  }

  private let clock: TestClock
  private let failures: Int
  private(set) var attempts: [Duration] = []

  init(clock: TestClock, failures: Int) {
    self.clock = clock
    self.failures = failures
  }

  func fetch() throws -> String {
    attempts.append(clock.now.offset)
    if attempts.count <= failures { throw Down(attempt: attempts.count) }
    return "answer \(attempts.count)"
  }
}
