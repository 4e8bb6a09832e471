import Sleepless
import SleeplessTesting
import Testing
import XCTest

/// A spy that two tests share.
private final class SharedSpy: Sendable {
  static let shared = SharedSpy()

  private let spy = Locked<Spy<Int>?>(nil)

  func make() {
    let spy = Spy<Int>("shared", time: .of(TestScheduler()))  // MARK: shared spy
    self.spy.withLock { $0 = spy }
  }

  func call() { spy.withLock { $0 }?(7) }
}

/// A call that is held back when the test ends, which keeps its gate.
private func leaveHeldCall() async throws {
  let time = RecorderTime.of(TestScheduler())
  let gate = SleeplessTesting.Gate<Int>("held", time: time)  // MARK: held gate
  Task { try await gate(7) }
  _ = try await gate.entered()
}

@Suite(.serialized) struct Doubles {
  @Test(.checkedAtEnd) func held() async throws { try await leaveHeldCall() }

  @Test func maker() { SharedSpy.shared.make() }

  @Test func user() { SharedSpy.shared.call() }
}

/// Calls a stub without an answer until everything has come to rest.
private func flood() async {
  let stub = Stub<Int, String>("flooded")  // MARK: flooded stub
  // real time: none, the test is simulated
  Task { while !Task.isCancelled { _ = try? await stub(7) } }
  await settle()
}

@Suite struct Floods {
  @Test(.simulated) func stub() async { await flood() }
}

@Suite(.serialized) struct DoublesOfCases {
  @Test(arguments: [1, 2]) func cases(number: Int) {
    if number == 1 { SharedSpy.shared.make() } else { SharedSpy.shared.call() }
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class FloodTests: SimulatedTestCase {
    func testStub() async { await flood() }

    static var cells: [XCTestCaseEntry] { [testCase([("testStub", asyncTest(testStub))])] }
  }

  class DoublesTests: XCTestCase {
    func testHeld() async throws { try await leaveHeldCall() }

    // Made before any test runs, one for each.
    private let stored = Stub<Int, String>("stored", time: .real)  // MARK: stored stub

    func testStored() {
      stored.inTurn(.value("Ada"), .value("Tom"))
      _ = try? stored.now(1)
    }

    func testMaker() { SharedSpy.shared.make() }

    func testUser() { SharedSpy.shared.call() }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testHeld", asyncTest(testHeld)), ("testStored", testStored),
          ("testMaker", testMaker), ("testUser", testUser),
        ])
      ]
    }
  }
#endif
