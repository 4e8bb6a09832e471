import SleeplessTesting
import Testing
import XCTest

@Suite struct Recorders {
  @Test func unread() {
    let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))  // MARK: Swift unread
    numbers.record(1)
  }

  @Test func thrown() throws {
    let numbers = Recorder<Int, Never>("numbers")
    _ = try numbers.next()  // MARK: Swift thrown
  }

  @Test func asyncThrown() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(.finished)
    _ = try await numbers.next()  // MARK: Swift async thrown
  }

  @Test func insideExpect() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(.finished)
    #expect(try await numbers.next() == 1)  // MARK: Swift inside expect
  }

  @Test(.checkedAtEnd) func lateEvent() async throws {
    let late = LateSource()
    let numbers = Recorder(late.number, "numbers")  // MARK: Swift late event
    late.start()
    _ = try await numbers.next(2)
  }

  @Test func lateState() async {
    let late = LateSource()
    await AssertState().assert(  // MARK: Swift late state
      when: { late.start() }, type: Int.self, publisher: late.number, valuesLimit: 2,
      valuesAssertions: { _ in })
  }
}

/// Sends a number at once, and another one when a test that has read the first is over.
final class LateSource: Sendable {
  let number = StateSubject<Int, Never>(0)

  func start() {
    Task { [number] in
      number.value = 1
      // real time: the test's body is over by then
      try await Task.sleep(for: .milliseconds(5))
      number.value = 2
    }
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class RecorderTests: XCTestCase {
    private var numbers: Recorder<Int, Never>?

    func testUnread() {
      numbers = Recorder("numbers", time: .of(TestScheduler()))  // MARK: XCTest unread
      numbers?.record(1)
    }

    func testThrown() throws {
      let numbers = Recorder<Int, Never>("numbers")
      _ = try numbers.next()  // MARK: XCTest thrown
    }

    func testAsyncThrown() async throws {
      let numbers = Recorder<Int, Never>("numbers")
      numbers.record(.finished)
      _ = try await numbers.next()  // MARK: XCTest async thrown
    }

    func testLateEvent() async throws {
      let late = LateSource()
      let numbers = Recorder(late.number, "numbers")  // MARK: XCTest late event
      late.start()
      _ = try await numbers.next(2)
    }

    func testLateState() {
      let late = LateSource()
      AssertState().assert(  // MARK: XCTest late state
        when: { late.start() }, type: Int.self, testCase: self, publisher: late.number,
        valuesLimit: 2, valuesAssertions: { _ in })
    }

    func testNothing() {}

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testUnread", testUnread), ("testThrown", testThrown),
          ("testAsyncThrown", asyncTest(testAsyncThrown)),
          ("testLateEvent", asyncTest(testLateEvent)), ("testLateState", testLateState),
          ("testNothing", testNothing),
        ])
      ]
    }
  }
#endif
