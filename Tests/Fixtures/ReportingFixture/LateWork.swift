import Sleepless
import SleeplessTesting
import Testing
import XCTest

/// Tests of which a task of their own does something after 5 ms. By then the test's body is over.
enum LateWork: String, CaseIterable {
  case callOfSpy, unreadCallOfSpy, callOfStub, callWithoutAnswer, callOfGate, workOfScheduler
  case cancelledWork, sleeper, operation, secondCallback, unreadEvent

  func run() async throws {
    switch self {
    case .callOfSpy:
      let spy = Spy<Int>("a spy")
      later { spy(1) }
    case .unreadCallOfSpy:
      let spy = Spy<Int>("a spy", allowsUnread: false)  // MARK: late unreadCallOfSpy
      later { spy(1) }
    case .callOfStub:
      let stub = Stub<Int, String>("a stub")
      stub.inTurn(.value("one"))
      later { _ = try await stub(1) }
    case .callWithoutAnswer:
      let stub = Stub<Int, String>("a stub")  // MARK: late callWithoutAnswer
      later { _ = try await stub(1) }
    case .callOfGate:
      let gate = SleeplessTesting.Gate<Int>("a gate")  // MARK: late callOfGate
      later { _ = try await gate() }
    case .workOfScheduler:
      let scheduler = TestScheduler()  // MARK: late workOfScheduler
      Kept.shared.keep(scheduler)
      later { scheduler.schedule(after: .seconds(1)) {} }
    case .cancelledWork:
      let scheduler = TestScheduler()
      Kept.shared.keep(scheduler)
      let work = scheduler.schedule(after: .seconds(1)) {}
      later { work.cancel() }
    case .sleeper:
      let clock = TestClock()  // MARK: late sleeper
      later { try await clock.sleep(for: .seconds(1)) }
    case .operation:
      // real time: the test's body is over by then
      _ = StartedOperation("an operation") { try await Task.sleep(for: .milliseconds(5)) }
    case .secondCallback:
      _ = try await expectExactlyOnce {  // MARK: late secondCallback
        (done: @escaping @Sendable (Int) -> Void) in
        done(1)
        later { done(2) }
      }
    case .unreadEvent:
      let numbers = Recorder<Int, Never>("numbers", allowsUnread: true)
      later { numbers.record(1) }
      await numbers.expectNone()  // MARK: late unreadEvent
    }
  }
}

private func later(_ body: @escaping @Sendable () async throws -> Void) {
  Task {
    // real time: the test's body is over by then
    try await Task.sleep(for: .milliseconds(5))
    try await body()
  }
}

/// Keeps helpers, so that the end of the test is their check and not their release.
private final class Kept: Sendable {
  static let shared = Kept()

  private let helpers = Locked<[any Sendable]>([])

  func keep(_ helper: any Sendable) { helpers.withLock { $0.append(helper) } }
}

@Suite(.serialized, .checkedAtEnd) struct LateWorkSuite {
  @Test(arguments: LateWork.allCases) func late(work: LateWork) async throws {
    try await work.run()
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class LateWorkTests: XCTestCase {
    static var cells: [XCTestCaseEntry] {
      [
        testCase(
          LateWork.allCases.map { work in
            (work.rawValue, asyncTest { (_: LateWorkTests) in { try await work.run() } })
          })
      ]
    }
  }
#endif
