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

    func testNothing() {}

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testUnread", testUnread), ("testThrown", testThrown),
          ("testAsyncThrown", asyncTest(testAsyncThrown)), ("testNothing", testNothing),
        ])
      ]
    }
  }
#endif
