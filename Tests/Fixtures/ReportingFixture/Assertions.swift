import Foundation
import SleeplessTesting
import Testing
import XCTest

/// Has each assertion that waits fail once, on the line that is marked with its name.
private func failEachAsync() async {
  await eventually(failFast: { true }) { false }  // MARK: eventually
  await eventually(failFast: { true }) { await no() }  // MARK: eventually async
  _ = try? await eventually(failFast: { true }) { nil as Int? }  // MARK: eventually value
  await eventually(asserting: "it holds", failFast: { true }) { throw Wrong() }  // MARK: asserting
  await always(during: .seconds(1)) { false }  // MARK: always
  await never(during: .seconds(1)) { true }  // MARK: never
  await expectThrows { 1 }  // MARK: expectThrows
  let operation = StartedOperation { 1 }
  _ = try? await operation.expectFinish()
  await operation.expectRunning()  // MARK: expectRunning
  await operation.expectCancellation()  // MARK: expectCancellation
  _ = try? await expectExactlyOnce { callTwice($0) }  // MARK: expectExactlyOnce
}

/// The same for those that are synchronous.
private func failEach() {
  let scheduler = TestScheduler()
  eventually(advancing: scheduler) { false }  // MARK: eventually advancing
  always(during: .seconds(1), advancing: scheduler) { false }  // MARK: always advancing
  never(during: .seconds(1), advancing: scheduler) { true }  // MARK: never advancing
}

private struct Wrong: Error {}

private func no() async -> Bool { false }

private func callTwice(_ done: @Sendable (Int) -> Void) {
  done(1)
  done(2)
}

private func failEach(in context: Cell.Context) async {
  switch context {
  case .sync: failEach()
  case .async: await failEachAsync()
  case .task: await Task { await failEachAsync() }.value
  case .detached: await Task.detached { await failEachAsync() }.value
  case .queue:
    await withCheckedContinuation { done in
      DispatchQueue(label: "elsewhere").async {
        failEach()
        done.resume()
      }
    }
  case .thread:
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        failEach()
        done.resume()
      }
    }
  }
}

@Suite struct Assertions {
  @Test func each() async { await failEach(in: Cell.current.context) }
}

/// What is left over at the end, in tests that keep their helpers.
@Suite(.checkedAtEnd, .serialized) struct Ends {
  private static let kept = Locked<[Recorder<Int, Never>]>([])

  @Test func leftover() {
    let numbers = Recorder<Int, Never>("numbers")  // MARK: Swift leftover
    numbers.record(1)
    Self.kept.withLock { $0.append(numbers) }
  }

  @Test func failedBefore() {
    let numbers = Recorder<Int, Never>("numbers")  // MARK: Swift failed before
    numbers.record(1)
    Self.kept.withLock { $0.append(numbers) }
    Reporter(at: CallSite()).fail("the first failure")  // MARK: Swift first failure
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class AssertionTests: XCTestCase {
    func testEach() async { await failEach(in: Cell.current.context) }

    static var cells: [XCTestCaseEntry] { [testCase([("testEach", asyncTest(testEach))])] }
  }

  class EndTests: XCTestCase {
    private var numbers: Recorder<Int, Never>?

    func testFailedBefore() {
      numbers = Recorder("numbers")  // MARK: XCTest failed before
      numbers?.record(1)
      Reporter(at: CallSite()).fail("the first failure")  // MARK: XCTest first failure
    }

    static var cells: [XCTestCaseEntry] { [testCase([("testFailedBefore", testFailedBefore)])] }
  }

  class AssertedTests: XCTestCase {
    func testAsserted() async {
      let looks = Locked(0)
      await eventually(asserting: "there were two looks") {
        looks.withLock { $0 += 1 }
        XCTAssertEqual(looks.withLock { $0 }, 2)  // MARK: XCTest asserted
      }
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testAsserted", asyncTest(testAsserted))])]
    }
  }
#endif
