import Foundation
import Sleepless
import SleeplessTesting
import Testing
import XCTest

/// When each test of the matrix fails: `ReportingFixture xctest matrix-at-end queue`.
enum MatrixMoment: String {
  case during = "matrix-during"
  case atEnd = "matrix-at-end"
  case afterEnd = "matrix-after-end"

  static let current = MatrixMoment(rawValue: FixtureScenario.current.scenario)
}

typealias MatrixStub = Stub<Int, String>

/// Makes a stub fail at the moment that the process shows, by code that runs in `context`.
private func fail(
  _ stub: MatrixStub, in context: FixtureScenario.Context = .async, line: UInt = #line
) async {
  if MatrixMoment.current == .afterEnd {
    Stray.start(in: context, line: line) { use(stub) }
  } else {
    await context.run { use(stub) }
  }
}

/// The same for a synchronous test, in the test itself or on a thread.
private func failHere(_ stub: MatrixStub, onThread: Bool = false, line: UInt = #line) {
  if MatrixMoment.current == .afterEnd {
    Stray.start(in: .thread, line: line) { use(stub) }
  } else if onThread {
    let isDone = Gate()
    Thread.detachNewThread {
      use(stub)
      isDone.open()
    }
    isDone.block()
  } else {
    use(stub)
  }
}

private let kept = Locked<[MatrixStub]>([])

private func use(_ stub: MatrixStub) {
  if MatrixMoment.current == .atEnd {
    stub.inTurn(.value("Ada"))  // MARK: in turn
    // The end of the test is to check it, and not its release, which is all that there is elsewhere.
    if FixtureScenario.current.matrixTests != ["elsewhere"] { kept.withLock { $0.append(stub) } }
  } else {
    _ = try? stub.now(7)
  }
}

/// Code that a test has left behind, and that fails when its test has ended.
final class Stray: Sendable {
  /// Of the schedules of a test, which share a line, only the first leaves code behind.
  private static let all = Locked<[(line: UInt, stray: Stray)]>([])

  private let mayFail = Gate()
  private let hasFailed = Gate()

  static func start(
    in context: FixtureScenario.Context, line: UInt, _ fail: @escaping @Sendable () -> Void
  ) {
    let stray = Stray()
    let isFirst = all.withLock { all in
      guard !all.contains(where: { $0.line == line }) else { return false }
      all.append((line, stray))
      return true
    }
    if isFirst { stray.start(in: context, fail) }
  }

  private func start(
    in context: FixtureScenario.Context, _ fail: @escaping @Sendable () -> Void
  ) {
    let wait: @Sendable () async -> Void = { [self] in
      await mayFail.wait()
      fail()
      hasFailed.open()
    }
    let block: @Sendable () -> Void = { [self] in
      mayFail.block()
      fail()
      hasFailed.open()
    }
    switch context {
    case .task: Task { await wait() }
    case .detached: Task.detached { await wait() }
    case .queue: DispatchQueue(label: "left behind").async(execute: block)
    case .sync, .async, .thread: Thread.detachNewThread(block)
    }
  }

  /// Lets one after the other fail, in the order in which they were started.
  static func failAll() async {
    for (_, stray) in all.withLock({ $0 }) {
      stray.mayFail.open()
      await stray.hasFailed.wait()
    }
  }

  static func failAllHere() {
    for (_, stray) in all.withLock({ $0 }) {
      stray.mayFail.open()
      stray.hasFailed.block()
    }
  }
}

/// Lets the code that the tests of a suite have left behind fail when they have all ended. Meanwhile a test of
/// another suite runs, if several tests do.
private struct StraysTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if FixtureScenario.current.matrixTests.count > 1 { await MatrixNeighbour.hasBegun.wait() }
    try await function()
    await Stray.failAll()
    MatrixNeighbour.mayEnd.open()
  }
}

@Suite(.checkedAtEnd, StraysTrait()) struct Matrix {
  @Test func synchronous() { failHere(Stub("user")) }  // MARK: Swift synchronous
  @Test func asynchronous() async { await fail(Stub("user")) }  // MARK: Swift asynchronous
  @Test func task() async { await fail(Stub("user"), in: .task) }  // MARK: Swift task
  @Test func detached() async { await fail(Stub("user"), in: .detached) }  // MARK: Swift detached
  @Test func queue() async { await fail(Stub("user"), in: .queue) }  // MARK: Swift queue
  @Test func thread() { failHere(Stub("user"), onThread: true) }  // MARK: Swift thread

  @Test func simulating() async throws {
    try await simulate { await fail(Stub("user")) }  // MARK: Swift simulating
  }

  @Test(.simulated) func simulated() async { await fail(Stub("user")) }  // MARK: Swift simulated

  @Test(.explored(schedules: 1)) func explored() async {  // MARK: Swift explored test
    await fail(Stub("user"))  // MARK: Swift explored
  }

  @Test func exploring() async throws {
    try await explore(schedules: 1) {  // MARK: Swift exploring test
      await fail(Stub("user"))  // MARK: Swift exploring
    }
  }
}

/// Runs from before the first test of the matrix until after the last failure.
@Suite struct MatrixNeighbour {
  static let hasBegun = Gate()
  static let mayEnd = Gate()

  @Test func passes() async {
    Self.hasBegun.open()
    await Self.mayEnd.wait()
  }
}

/// The stub is made where Swift Testing does not know the test.
@Suite(.checkedAtEnd, StraysTrait()) struct MatrixElsewhere {
  @Test func elsewhere() async {
    await Task.detached { await fail(Stub("user")) }.value  // MARK: Swift elsewhere
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class MatrixTests: XCTestCase {
    func testSynchronous() { failHere(Stub("user")) }  // MARK: XCTest synchronous
    func testAsynchronous() async { await fail(Stub("user")) }  // MARK: XCTest asynchronous
    func testTask() async { await fail(Stub("user"), in: .task) }  // MARK: XCTest task
    func testDetached() async { await fail(Stub("user"), in: .detached) }  // MARK: XCTest detached
    func testQueue() async { await fail(Stub("user"), in: .queue) }  // MARK: XCTest queue
    func testThread() { failHere(Stub("user"), onThread: true) }  // MARK: XCTest thread

    func testSimulating() async throws {
      try await simulate { await fail(Stub("user")) }  // MARK: XCTest simulating
    }

    func testExploring() async throws {
      try await explore(schedules: 1) {  // MARK: XCTest exploring test
        await fail(Stub("user"))  // MARK: XCTest exploring
      }
    }

    func testElsewhere() async {
      await Task.detached { await fail(Stub("user")) }.value  // MARK: XCTest elsewhere
    }

    func testLater() { Stray.failAllHere() }

    /// The tests that the process shows. During the last one, the code that the others have left behind fails.
    static var cells: [XCTestCaseEntry] {
      let all = [
        testCase([
          ("testSynchronous", testSynchronous), ("testAsynchronous", asyncTest(testAsynchronous)),
          ("testTask", asyncTest(testTask)), ("testDetached", asyncTest(testDetached)),
          ("testQueue", asyncTest(testQueue)), ("testThread", testThread),
          ("testSimulating", asyncTest(testSimulating)),
          ("testExploring", asyncTest(testExploring)), ("testElsewhere", asyncTest(testElsewhere)),
        ]),
        SimulatedMatrixTests.cell, ExploredMatrixTests.cell,
        testCase([("testLater", testLater)]),
      ]
      let names = FixtureScenario.current.matrixTests.map { "test\($0.capitalized)" }
      return all.map { entry in
        (entry.testCaseClass, entry.allTests.filter { names.contains($0.0) })
      }
    }
  }

  class SimulatedMatrixTests: SimulatedTestCase {
    func testSimulated() async { await fail(Stub("user")) }  // MARK: XCTest simulated

    static var cell: XCTestCaseEntry {
      testCase([("testSimulated", asyncTest(testSimulated))])
    }
  }

  class ExploredMatrixTests: ExploredTestCase {
    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 1) }

    func testExplored() async {  // MARK: XCTest explored test
      await fail(Stub("user"))  // MARK: XCTest explored
    }

    static var cell: XCTestCaseEntry { testCase([("testExplored", asyncTest(testExplored))]) }
  }
#endif
