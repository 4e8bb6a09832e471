// virtual time: all sleeps and waits are in simulations
#if os(Linux)
  import CoreFoundation
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// Deadlines in the past, without an end and without a meaning do in a simulation what they do without one (T5, S10).
  @Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct UnusualDeadlineTests {
    // MARK: Waits

    @Test(arguments: Waited.Kind.allCases, EndlessDeadline.allCases)
    fileprivate func `S10 a wait without an end lasts until that comes for which it waits`(
      kind: Waited.Kind, deadline: EndlessDeadline
    ) async throws {
      let log = try await log { log in
        let waited = Waited(kind)
        Task {
          try await Task.sleep(for: .seconds(86_400))
          waited.provide()
        }
        log.write("\(waited.wait(deadline.deadline))")
      }
      #expect(log == ["86400 success"])
    }

    @Test(arguments: Waited.Kind.allCases, PastDeadline.allCases)
    fileprivate func `S10 a wait until a time in the past ends at once`(
      kind: Waited.Kind, deadline: PastDeadline
    ) async throws {
      let log = try await log { log in
        try await Task.sleep(for: .seconds(1))
        let waited = Waited(kind)
        log.write("\(waited.wait(deadline.deadline))")
        waited.provide()
        log.write("\(waited.wait(deadline.deadline))")
      }
      #expect(log == ["1 timedOut", "1 success"])
    }

    // MARK: Delayed blocks

    @Test(arguments: PastDeadline.allCases)
    fileprivate func `S10 a block with a deadline in the past is given at once`(
      deadline: PastDeadline
    ) async throws {
      let log = try await log { log in
        try await Task.sleep(for: .seconds(1))
        delay(until: deadline.deadline) { log.write("block") }
        try await Task.sleep(for: .seconds(1))
      }
      #expect(log == ["1 block"])
    }

    @Test(arguments: EndlessDeadline.allCases)
    fileprivate func
      `S10 a block with a deadline without an end is not given, and is not waited for`(
        deadline: EndlessDeadline
      ) async throws
    {
      let log = try await log { log in
        delay(until: deadline.deadline) { log.write("block") }
        await Simulation.current!.settle()
        try await Task.sleep(for: .seconds(1_000_000))
        log.write("body")
      }
      #expect(log == ["1000000 body"])
    }

    private func delay(until deadline: Deadline, _ block: @escaping @Sendable () -> Void) {
      let queue = DispatchQueue(label: "com.example.delayed")
      switch deadline {
      case .time(let time): queue.asyncAfter(deadline: time, execute: block)
      case .wall(let time): queue.asyncAfter(wallDeadline: time, execute: block)
      }
    }

    // MARK: Timer sources

    @Test(arguments: PastDeadline.allCases)
    fileprivate func `S10 a timer with a deadline in the past fires at once`(
      deadline: PastDeadline
    ) async throws {
      let log = try await log { log in
        try await Task.sleep(for: .seconds(1))
        try await withTimer(log) { timer in
          switch deadline.deadline {
          case .time(let time): timer.schedule(deadline: time)
          case .wall(let time): timer.schedule(wallDeadline: time)
          }
        }
      }
      #expect(log == ["1 fires for 1"])
    }

    @Test(arguments: EndlessDeadline.allCases)
    fileprivate func `S10 a timer with a deadline without an end never fires`(
      deadline: EndlessDeadline
    ) async throws {
      let log = try await log { log in
        try await withTimer(log) { timer in
          switch deadline.deadline {
          case .time(let time): timer.schedule(deadline: time, repeating: 1)
          case .wall(let time): timer.schedule(wallDeadline: time, repeating: 1)
          }
        }
      }
      #expect(log == [])
    }

    @Test(arguments: [false, true])
    func `S10 a timer that never repeats fires once`(isInfinite: Bool) async throws {
      let log = try await log { log in
        try await withTimer(log) { timer in
          if isInfinite {
            timer.schedule(deadline: .now() + 1, repeating: .infinity)
          } else {
            timer.schedule(deadline: .now() + 1, repeating: .never)
          }
        }
      }
      #expect(log == ["1 fires for 1"])
    }

    // As Dispatch: its first event counts what was due before.
    @Test(arguments: [false, true])
    func `S10 a timer that should have begun earlier keeps its times`(isWall: Bool) async throws {
      let log = try await log { log in
        try await Task.sleep(for: .seconds(10))
        try await withTimer(log) { timer in
          if isWall {
            timer.schedule(wallDeadline: .now() - 5, repeating: 4)
          } else {
            timer.schedule(deadline: .now() - 5, repeating: 4)
          }
        }
      }
      #expect(log == ["10 fires for 2", "13 fires for 1", "17 fires for 1"])
    }

    @Test func `S10 a timer with an interval of zero fires until it is cancelled`() async throws {
      let count = Locked(0)
      let outcome = await Simulation.run {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "com.example.timer"))
        timer.setEventHandler {
          if count.withLock({
            $0 += 1
            return $0 == 100
          }) {
            timer.cancel()
          }
        }
        timer.schedule(deadline: .now() + 1, repeating: .nanoseconds(0))
        timer.activate()
        await Simulation.current!.settle()
      }
      #expect(outcome.report.ending.name == "finished")
      #expect(count.withLock { $0 } == 100)
    }

    /// Writes the events of a timer in ten seconds.
    private func withTimer(
      _ log: QueueLog, _ schedule: (any DispatchSourceTimer) -> Void
    ) async throws {
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "com.example.timer"))
      timer.setEventHandler { log.write("fires for \(timer.data)") }
      schedule(timer)
      timer.activate()
      try await Task.sleep(for: .seconds(10))
      timer.cancel()
    }

    // MARK: Sleeps

    @Test(arguments: UnusualSleep.ended)
    fileprivate func `S10 a sleep of a length that is none returns at once`(sleep: UnusualSleep)
      async throws
    {
      let log = try await log { log in
        try await Task.sleep(for: .seconds(1))
        sleep.call()
        log.write("slept")
      }
      #expect(log == ["1 slept"])
    }

    @Test(arguments: UnusualSleep.endless)
    fileprivate func `a sleep without an end lasts as long as the simulation allows`(
      sleep: UnusualSleep
    ) async {
      var options = Simulation.Options()
      options.timeLimit = .seconds(3600)
      let outcome = await Simulation.run(options) { sleep.call() }
      #expect(outcome.report.ending.name == "tooLate")
    }

    // MARK: Run loops

    #if os(Linux)
      @Test(.needs(.runLoops), arguments: [Double.infinity, .greatestFiniteMagnitude])
      func `S10 a run of the main run loop without an end lasts until it is stopped`(
        seconds: Double
      ) async throws {
        let log = try await log { log in
          await MainActor.run {
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
              CFRunLoopStop(CFRunLoopGetMain())
            }
            let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, false)
            log.write(result == .stopped ? "stopped" : "\(result.rawValue)")
          }
        }
        #expect(log == ["5 stopped"])
      }
    #endif
  }

  private enum Deadline {
    case time(DispatchTime)
    case wall(DispatchWallTime)
  }

  /// A deadline that has passed.
  private enum PastDeadline: CaseIterable {
    case fiveSecondsAgo, nanosecondZero, nanosecondOne, infinitelyLongAgo, wall,
      infinitelyLongAgoWall

    var deadline: Deadline {
      switch self {
      case .fiveSecondsAgo: .time(.now() - 5)
      // Dispatch's word for now.
      case .nanosecondZero: .time(DispatchTime(uptimeNanoseconds: 0))
      case .nanosecondOne: .time(DispatchTime(uptimeNanoseconds: 1))
      case .infinitelyLongAgo: .time(.now() - Double.infinity)
      case .wall: .wall(.now() - 5)
      case .infinitelyLongAgoWall: .wall(.now() - Double.infinity)
      }
    }
  }

  /// A deadline that is never reached.
  private enum EndlessDeadline: CaseIterable {
    case distantFuture, infinite, notANumber, never, wallDistantFuture, wallInfinite

    var deadline: Deadline {
      switch self {
      case .distantFuture: .time(.distantFuture)
      case .infinite: .time(.now() + Double.infinity)
      // Dispatch takes it for infinite.
      case .notANumber: .time(.now() + Double.nan)
      case .never: .time(.now() + DispatchTimeInterval.never)
      case .wallDistantFuture: .wall(.distantFuture)
      case .wallInfinite: .wall(.now() + Double.infinity)
      }
    }
  }

  /// Something that a thread waits for, and that comes once.
  private struct Waited: @unchecked Sendable {
    // Unchecked because work items are not Sendable, while Dispatch's are safe on any thread.

    enum Kind: CaseIterable { case semaphore, group, item }

    private let kind: Kind
    private let semaphore = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()
    private let item = DispatchWorkItem {}

    init(_ kind: Kind) {
      self.kind = kind
      if kind == .group { group.enter() }
    }

    func provide() {
      switch kind {
      case .semaphore: semaphore.signal()
      case .group: group.leave()
      case .item: item.perform()
      }
    }

    func wait(_ deadline: Deadline) -> DispatchTimeoutResult {
      switch (kind, deadline) {
      case (.semaphore, .time(let time)): semaphore.wait(timeout: time)
      case (.semaphore, .wall(let time)): semaphore.wait(wallTimeout: time)
      case (.group, .time(let time)): group.wait(timeout: time)
      case (.group, .wall(let time)): group.wait(wallTimeout: time)
      case (.item, .time(let time)): item.wait(timeout: time)
      case (.item, .wall(let time)): item.wait(wallTimeout: time)
      }
    }
  }

  /// A sleep of the thread whose length is no time, or has no end.
  private struct UnusualSleep: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let call: @Sendable () -> Void

    private static func thread(_ seconds: Double) -> Self {
      Self(testDescription: "Thread.sleep(forTimeInterval: \(seconds))") {
        Thread.sleep(forTimeInterval: seconds)
      }
    }

    private static func thread(until date: Date) -> Self {
      Self(testDescription: "Thread.sleep(until: \(date.timeIntervalSinceReferenceDate))") {
        Thread.sleep(until: date)
      }
    }

    /// A time that nanosleep does not take.
    private static func nano(_ seconds: Int, _ nanoseconds: Int) -> Self {
      Self(testDescription: "nanosleep(\(seconds), \(nanoseconds))") {
        var time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        #expect(nanosleep(&time, nil) == -1)
        #expect(errno == EINVAL)
      }
    }

    static let ended = [
      thread(-1), thread(.nan), thread(-.infinity), thread(until: .distantPast),
      thread(until: Date(timeIntervalSinceReferenceDate: .nan)), nano(-1, 0), nano(0, -1),
      nano(0, 1_000_000_000),
    ]

    static let endless = [thread(.infinity), thread(.greatestFiniteMagnitude)]
  }
#endif
