import SleeplessTesting
import Testing
import VirtualTime

@Suite struct WaitSummaryTests {
  @Test func `waits of one test that overlap are counted once`() {
    let summary = WaitSummary(
      .run(
        [.test("a", 0, 10)], [.wait(.taskSleep, 1, 5, test: 0), .wait(.semaphore, 3, 6, test: 0)]))
    #expect(summary.tests.map(\.waited) == [.seconds(5)])
    #expect(summary.tests[0].entries.map(\.time) == [.seconds(4), .seconds(3)])
  }

  @Test func `waits of parallel tests shorten the run only while all that run wait`() {
    let summary = WaitSummary(
      .run(
        [.test("a", 0, 4), .test("b", 0, 3)],
        [.wait(.taskSleep, 0, 4, test: 0), .wait(.taskSleep, 2, 3, line: 2, test: 1)]))
    // Until 2, b computes. Then both wait, and from 3 on a alone.
    #expect(summary.shorter == .seconds(2))
    #expect(summary.time == .seconds(4))
    #expect(summary.testTime == .seconds(7))
    #expect(summary.isParallel)
  }

  @Test func `a polling loop waits without what it computes between its sleeps`() {
    let polling = MeasuredRun.Wait.wait(.taskSleep, 0, 2, count: 50, waited: 1.5, test: 0)
    let other = MeasuredRun.Wait.wait(.taskSleep, 0, 1, line: 2, test: 1)
    let summary = WaitSummary(.run([.test("a", 0, 2), .test("b", 0, 1)], [polling, other]))
    #expect(summary.tests.map(\.waited) == [.seconds(1.5), .seconds(1)])
    #expect(summary.shorter == .seconds(1.5))
  }

  @Test func `without its waits a run is at least so much shorter`() {
    var shorter = Duration.zero
    let wrongSeeds = (1...300).filter { seed in
      let run = RandomRun(seed: UInt64(seed))
      let summary = WaitSummary(run.measured)
      shorter += summary.shorter
      return summary.time != run.time || summary.shorter > run.time - run.timeWithoutWaits
    }
    #expect(wrongSeeds == [])
    // Zero would always be right.
    #expect(shorter > .seconds(1))
  }

  @Test func `waits of serial tests shorten the run by their sum`() {
    let summary = WaitSummary(
      .run(
        [.test("a", 0, 2), .test("b", 3, 5)],
        [.wait(.taskSleep, 0, 1, test: 0), .wait(.taskSleep, 3, 4, test: 1)]))
    #expect(summary.shorter == .seconds(2))
    #expect(summary.time == .seconds(4))
    #expect(!summary.isParallel)
  }

  @Test func `a test waited at least as long as at one of its places`() {
    // Three threads sleep again and again, side by side, and compute meanwhile.
    let waits = (1...3).map { line in
      MeasuredRun.Wait.wait(.threadSleep, 0, 2, line: line, count: 50, waited: 1.2, test: 0)
    }
    let test = WaitSummary(.run([.test("a", 0, 2)], waits)).tests[0]
    #expect(test.waited == .seconds(1.2))
  }

  @Test func `parallel short sleeps at one place are not added up`() {
    let waits = (1...3).map { _ in
      MeasuredRun.Wait.wait(.threadSleep, 0, 1, count: 50, waited: 0.9, test: 0)
    }
    let entries = WaitSummary(.run([.test("a", 0, 2)], waits)).tests[0].entries
    #expect(entries.map(\.kind) == [.pollingLoop])
    #expect(entries.map(\.time) == [.seconds(1)])
  }

  @Test func `waits of less than a millisecond are not listed`() {
    let short = MeasuredRun.Wait.wait(.expectation, 1, 1.0009, test: 0)
    let long = MeasuredRun.Wait.wait(.expectation, 2, 2.0011, line: 2, test: 0)
    let summary = WaitSummary(.run([.test("a", 0, 10)], [short, long]))
    #expect(summary.tests[0].entries.map(\.place.line) == [2])
  }

  @Test func `a wait that goes on after its test is none of the test's`() {
    let summary = WaitSummary(
      .run(
        [.test("a", 0, 2)], [.wait(.taskSleep, 1, 5, test: 0), .wait(.taskSleep, 1, nil, test: 0)]))
    #expect(summary.tests[0].entries == [])
  }

  @Test func `a wait that ends before its test runs is of no test, also while another runs`() {
    let summary = WaitSummary(
      .run([.test("a", 2, 3), .test("b", 0, 4)], [.wait(.taskSleep, 1, 2, test: 0)]))
    #expect(summary.withoutTest.map(\.time) == [.seconds(1)])
    #expect(summary.waitingCount == 0)
  }

  @Test func `a test that runs several times takes the sum of them`() {
    let waits: [MeasuredRun.Wait] = [
      .wait(.taskSleep, 0, 1, test: 0), .wait(.taskSleep, 4, 5, test: 0),
      // It outlives the first turn.
      .wait(.taskSleep, 1, 5, line: 2, test: 0),
      // Two that are one: the time between them is not that of the test.
      .wait(.threadSleep, 1.5, 4.5, line: 3, count: 2, waited: 1, test: 0),
    ]
    let summary = WaitSummary(
      .run([.test("a", turns: [(0, 2), (4, 6)]), .test("b", 2, 4)], waits))
    #expect(summary.tests.map(\.time) == [.seconds(4), .seconds(2)])
    #expect(summary.tests[0].entries.map(\.place.line) == [1, 3])
    #expect(summary.tests[0].entries.map(\.time) == [.seconds(2), .seconds(1)])
    #expect(!summary.isParallel)
  }

  @Test func `a test that ended and runs again has not ended`() {
    let summary = WaitSummary(
      .run([.test("a", turns: [(0, 2), (4, nil)])], [.wait(.semaphore, 5, nil, test: 0)], end: 7))
    #expect(summary.unfinished == ["a"])
    #expect(summary.tests[0].time == .seconds(5))
    #expect(summary.tests[0].waited == .seconds(2))
  }

  @Test func `a wait whose test is not known is that of the only one that runs`() {
    let summary = WaitSummary(
      .run([.test("a", 0, 2), .test("b", 3, 5)], [.wait(.threadSleep, 4, 5, test: nil)]))
    #expect(summary.tests.map(\.test.name) == ["b", "a"])
    #expect(summary.tests[0].waited == .seconds(1))
    #expect(summary.withoutTest == [])
  }

  @Test func `it is of no test if several run, or none`() {
    let summary = WaitSummary(
      .run(
        [.test("a", 0, 2), .test("b", 0, 2)],
        [.wait(.threadSleep, 1, 2, test: nil), .wait(.threadSleep, 4, 5, line: 2, test: nil)]))
    #expect(summary.withoutTest.map(\.place.line) == [1, 2])
    #expect(summary.waitingCount == 0)
  }

  @Test func `many short sleeps at one place are a polling loop`() {
    let many = MeasuredRun.Wait.wait(.threadSleep, 1, 2, count: 50, waited: 0.9, test: 0)
    let few = MeasuredRun.Wait.wait(.threadSleep, 3, 4, line: 2, count: 2, test: 0)
    let long = MeasuredRun.Wait.wait(.threadSleep, 4, 9, line: 3, count: 5, test: 0)
    let entries = WaitSummary(.run([.test("a", 0, 10)], [many, few, long])).tests[0].entries
    #expect(entries.map(\.kind) == [.threadSleep, .threadSleep, .pollingLoop])
    #expect(entries.map(\.polls) == [nil, nil, .threadSleep])
    #expect(entries.map(\.time) == [.seconds(5), .seconds(1), .seconds(0.9)])
  }

  @Test(arguments: [
    (MeasuredRun.Kind.taskSleep, true), (.threadSleep, true), (.runLoop, true),
    (.condition, false), (.semaphore, false), (.group, false),
  ])
  func `short sleeps and runs of a run loop are a polling loop, other short waits are not`(
    kind: MeasuredRun.Kind, isPolling: Bool
  ) {
    let waits = [MeasuredRun.Wait.wait(kind, 1, 2, count: 50, test: 0)]
    let entries = WaitSummary(.run([.test("a", 0, 10)], waits)).tests[0].entries
    #expect(entries.map(\.kind) == [isPolling ? .pollingLoop : kind])
    #expect(entries.map(\.polls) == [isPolling ? kind : nil])
  }

  @Test func `a few yields are no wait, and many are a polling loop`() {
    let few = MeasuredRun.Wait.wait(.yield, 1, 2, count: 19, test: 0)
    let many = MeasuredRun.Wait.wait(.yield, 3, 4, line: 2, count: 20, test: 0)
    let entries = WaitSummary(.run([.test("a", 0, 10)], [few, many])).tests[0].entries
    #expect(entries.map(\.kind) == [.pollingLoop])
    #expect(entries.map(\.place.line) == [2])
  }

  @Test func `only the places that are listed are looked up`() {
    var waits = [
      MeasuredRun.Wait.wait(.taskSleep, 1, 2, test: 0),
      .wait(.yield, 3, 4, count: 19, test: 0),
      .wait(.taskSleep, 1, 5, test: 1),
    ]
    for index in waits.indices {
      waits[index].place = MeasuredRun.Place(at: UInt(index), function: "wait\(index)()")
    }
    var asked: [UInt] = []
    let summary = WaitSummary(.run([.test("a", 0, 10), .test("b", 0, 2)], waits)) { address in
      asked.append(address)
      return ("Tests/B.swift", 7)
    }
    let place = MeasuredRun.Place(file: "Tests/B.swift", line: 7, function: "wait0()")
    #expect(summary.tests.flatMap(\.entries).map(\.place) == [place])
    #expect(asked == [0])
  }

  @Test func `two addresses of one line are one place`() {
    var waits = [
      MeasuredRun.Wait.wait(.yield, 1, 2, count: 10, test: 0),
      .wait(.yield, 3, 4, count: 10, test: 0),
    ]
    for index in waits.indices {
      waits[index].place = MeasuredRun.Place(at: UInt(index), function: "wait()")
    }
    let summary = WaitSummary(.run([.test("a", 0, 10)], waits)) { _ in ("Tests/B.swift", 7) }
    #expect(summary.tests[0].entries.map(\.count) == [20])
  }

  @Test func `a process that ends too early counts what is under way until then`() {
    let summary = WaitSummary(
      .run([.test("a", 0, nil)], [.wait(.semaphore, 2, nil, test: 0)], end: 7))
    #expect(summary.unfinished == ["a"])
    #expect(summary.tests[0].time == .seconds(7))
    #expect(summary.tests[0].waited == .seconds(5))
    #expect(summary.tests[0].entries.map(\.time) == [.seconds(5)])
  }

  @Test func `without tests nothing is counted`() {
    let summary = WaitSummary(.run([], []))
    #expect(summary.tests == [])
    #expect(summary.shorter == .zero)
  }
}

/// Tests that compute, wait and poll by turns, on one or more workers. Each worker takes the next test when it is free.
private struct RandomRun {
  private enum Step {
    case computing(Duration)
    case waiting(Duration)
    /// Sleeps with some computing after each.
    case polling(count: Int, sleep: Duration, computing: Duration)

    var time: Duration {
      switch self {
      case .computing(let time), .waiting(let time): time
      case .polling(let count, let sleep, let computing): (sleep + computing) * count
      }
    }

    var waited: Duration {
      switch self {
      case .computing: .zero
      case .waiting(let time): time
      case .polling(let count, let sleep, _): sleep * count
      }
    }
  }

  private let tests: [[Step]]
  private let workerCount: Int

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    workerCount = 1 + random.next(below: 4)
    tests = (0...random.next(below: 5)).map { _ in
      (0...random.next(below: 5)).map { _ in
        let time = Duration.milliseconds(1 + random.next(below: 40))
        switch random.next(below: 3) {
        case 0: return .computing(time)
        case 1: return .waiting(time)
        default:
          return .polling(
            count: 5 + random.next(below: 5), sleep: .milliseconds(2),
            computing: .milliseconds(random.next(below: 4)))
        }
      }
    }
  }

  /// When each test starts, and when the last one has ended.
  private func schedule(_ time: (Step) -> Duration) -> (starts: [Duration], end: Duration) {
    var free = Array(repeating: Duration.zero, count: workerCount)
    let starts = tests.map { steps in
      let worker = free.indices.min { free[$0] < free[$1] }!
      let start = free[worker]
      free[worker] += steps.reduce(.zero) { $0 + time($1) }
      return start
    }
    return (starts, free.max()!)
  }

  var time: Duration { schedule { $0.time }.end }
  var timeWithoutWaits: Duration { schedule { $0.time - $0.waited }.end }

  var measured: MeasuredRun {
    var waits: [MeasuredRun.Wait] = []
    let measured = zip(tests.indices, schedule { $0.time }.starts).map { index, start in
      var now = start
      for step in tests[index] {
        let place = MeasuredRun.Place(file: "Tests/A.swift", line: waits.count, function: "wait()")
        switch step {
        case .computing: break
        case .waiting(let time):
          waits.append(
            MeasuredRun.Wait(.taskSleep, at: place, from: now, to: now + time, test: index))
        case .polling(let count, _, let computing):
          waits.append(
            MeasuredRun.Wait(
              .taskSleep, at: place, count: count, from: now, to: now + step.time - computing,
              waited: step.waited, test: index))
        }
        now += step.time
      }
      return MeasuredRun.Test(
        name: "\(index)", file: "", line: 0, turns: [.init(from: start, to: now)])
    }
    return MeasuredRun(.swiftTesting, tests: measured, waits: waits, end: time)
  }
}

extension MeasuredRun {
  static func run(_ tests: [Test], _ waits: [Wait], end: Double = 100) -> Self {
    Self(.swiftTesting, tests: tests, waits: waits, end: .seconds(end))
  }
}

extension MeasuredRun.Test {
  static func test(_ name: String, _ start: Double, _ end: Double?) -> Self {
    test(name, turns: [(start, end)])
  }

  static func test(_ name: String, turns: [(start: Double, end: Double?)]) -> Self {
    Self(
      name: name, file: "Tests/A.swift", line: 1,
      turns: turns.map { turn in
        Turn(from: .seconds(turn.start), to: turn.end.map { .seconds($0) })
      })
  }
}

extension MeasuredRun.Wait {
  static func wait(
    _ kind: MeasuredRun.Kind, _ start: Double, _ end: Double?, line: Int = 1, count: Int = 1,
    waited: Double? = nil, test: Int?
  ) -> Self {
    Self(
      kind, at: MeasuredRun.Place(file: "Tests/A.swift", line: line, function: "wait()"),
      count: count,
      from: .seconds(start), to: end.map { .seconds($0) },
      waited: waited.map { .seconds($0) }, test: test)
  }
}
