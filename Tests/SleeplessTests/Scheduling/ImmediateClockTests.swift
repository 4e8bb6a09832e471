import Sleepless
import Testing

@Suite(.timeLimit(.minutes(10))) struct ImmediateClockTests {
  private let clock = ImmediateClock()

  @Test func `a sleep returns at once and the clock shows its deadline`() async throws {
    try await clock.sleep(for: .seconds(60))
    #expect(clock.now.offset == .seconds(60))
    try await clock.sleep(for: .seconds(60), tolerance: .seconds(10))
    #expect(clock.now.offset == .seconds(120))
    try await (clock as any Clock<Duration>).sleep(for: .seconds(60))
    #expect(clock.now.offset == .seconds(180))
  }

  @Test func `T1 a deadline in the past does not move the clock back`() async throws {
    let clock = ImmediateClock(now: VirtualInstant(offset: .seconds(5)))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(3)))
    #expect(clock.now.offset == .seconds(5))
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `ten thousand sleeps take no noticeable time`() async throws {
    for _ in 0..<10_000 { try await clock.sleep(for: .seconds(1)) }
    #expect(clock.now.offset == .seconds(10_000))
  }

  @Test func `a cancelled task does not sleep`() async {
    let clock = clock
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .zero)
  }

  @Test func `sleepers in many tasks move the clock to the latest deadline`() async throws {
    try await withThrowingTaskGroup { group in
      for delay in 1...100 {
        group.addTask { [clock] in
          try await clock.sleep(until: VirtualInstant(offset: .seconds(delay)))
        }
      }
      try await group.waitForAll()
    }
    #expect(clock.now.offset == .seconds(100))
  }

  @Test func `it can be passed as a clock, and its resolution is zero`() {
    func resolution(of clock: some Clock<Duration>) -> Duration { clock.minimumResolution }
    #expect(resolution(of: .immediate) == .zero)
  }
}
