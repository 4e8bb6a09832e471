import Sleepless
import Testing

/// On clocks that need no test module. `SleeplessTestingTests` tests it on a test clock.
@Suite(.timeLimit(.minutes(10))) struct TimerSequenceTests {
  @Test func `on an immediate clock the sequence ends after one tick`() async throws {
    var ticks: [Duration] = []
    for try await elapsed in ImmediateClock().timer(every: .seconds(1)) { ticks.append(elapsed) }
    #expect(ticks == [.seconds(1)])
  }

  @Test func `each iteration counts from its own start`() async throws {
    let clock = JumpingClock()
    let timer = clock.timer(every: .seconds(2))
    clock.jump(to: .seconds(5))
    for _ in 0..<2 {
      var iterator = timer.makeAsyncIterator()
      #expect(try await iterator.next() == .seconds(2))
      #expect(try await iterator.next() == .seconds(4))
    }
    #expect(clock.now.offset == .seconds(13))
  }

  @Test func `ticks on the real clock are multiples of the interval and never early`() async throws
  {
    let start = ContinuousClock.now
    var ticks: [Duration] = []
    for try await elapsed in ContinuousClock().timer(every: .milliseconds(1)) {
      #expect(start.duration(to: .now) >= elapsed)
      ticks.append(elapsed)
      if ticks.count == 2 { break }
    }
    #expect(ticks.allSatisfy { ($0 / .milliseconds(1)).rounded() == $0 / .milliseconds(1) })
    #expect(.zero < ticks[0] && ticks[0] < ticks[1])
  }

  private static let jumps: [(to: Duration, next: Duration)] = [
    (.milliseconds(1000), .seconds(2)), (.milliseconds(1999), .seconds(2)),
    (.seconds(2), .seconds(2)), (.milliseconds(2001), .seconds(3)), (.seconds(7), .seconds(7)),
    (.milliseconds(7500), .seconds(8)), (.seconds(1_000_000), .seconds(1_000_000)),
    (.seconds(1_000_000) - .nanoseconds(1), .seconds(1_000_000)),
    (.seconds(1_000_000) + .nanoseconds(1), .seconds(1_000_001)),
  ]

  @Test(arguments: jumps)
  func `ticks that pass while the loop is busy are skipped`(
    jump: Duration, next: Duration
  ) async throws {
    let clock = JumpingClock()
    var iterator = clock.timer(every: .seconds(1)).makeAsyncIterator()
    #expect(try await iterator.next() == .seconds(1))
    clock.jump(to: jump)
    #expect(try await iterator.next() == next)
    #expect(try await iterator.next() == next + .seconds(1))
  }

  @Test func `the sequence can skip more ticks than an integer can count`() async throws {
    let clock = JumpingClock()
    let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
    var iterator = clock.timer(every: attosecond * 3).makeAsyncIterator()
    clock.jump(to: .seconds(1_000_000_000))
    let tick = try #require(try await iterator.next())
    // 10^27 is one more than a multiple of three.
    #expect(tick == .seconds(1_000_000_000) + attosecond * 2)
  }

  @Test func `in a cancelled task the timer throws CancellationError`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in JumpingClock().timer(every: .seconds(1)) {}
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
