import Foundation
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// Where a double may be called from.
enum CallContext: String, CaseIterable, Sendable {
  case sync, async, task, detached, queue, thread

  /// Runs code there and waits for its end.
  func run(_ work: @escaping @Sendable () -> Void) async {
    switch self {
    case .sync: synchronously(work)
    case .async: await Elsewhere().run(work)
    case .task: await Task { work() }.value
    case .detached: await Task.detached { work() }.value
    case .queue:
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "elsewhere").async {
          work()
          continuation.resume()
        }
      }
    case .thread: await onThread(work)
    }
  }

  private actor Elsewhere {
    func run(_ work: () -> Void) { work() }
  }

  /// Each double fails there, once; the gate at the line of the call, the others at their own.
  func provoke() async -> [Int] {
    let user = Stub<Int, String>("user")
    let spy = Spy<Int>("spy")
    spy.checkAtEnd()
    let gate = Gate<Int>("gate")
    let line = #line
    await run {
      _ = try? user.now(7)
      spy(7)
      gate.succeed(with: 7)
      gate(7) { _ in }
    }
    // Leftovers of the last call fail at the release, but not after another failure.
    return [line - 4, line - 3, line + 4]
  }
}

@Suite struct DoubleContextTests {
  @Test(arguments: CallContext.allCases)
  func `F2 no failure of a double is lost, wherever it is called`(context: CallContext) async {
    let lines = Log<[Int]>()
    let failures = await failures { lines.append(await context.provoke()) }
    #expect(failures.map(\.line) == lines.values.first)
    #expect(failures.allSatisfy { $0.file == "DoubleContextTests.swift" })
  }
}

final class DoubleContextXCTests: FailureCatchingTestCase {
  func testF2NoFailureOfADoubleIsLostWhereverItIsCalled() async {
    for context in CallContext.allCases {
      let lines = Log<[Int]>()
      let failures = await failures { lines.append(await context.provoke()) }
      XCTAssertEqual(failures.map(\.line), lines.values.first, context.rawValue)
    }
  }
}
