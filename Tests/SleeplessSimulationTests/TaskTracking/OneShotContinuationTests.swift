import SleeplessSimulation
import TestSupport
import Testing
import XCTest

@Suite struct OneShotContinuationTests {
  @Test func `a wait returns a value that was set before`() async {
    let continuation = OneShotContinuation<Int>()
    #expect(!continuation.isResumed)
    continuation.resume(returning: 1)
    #expect(continuation.isResumed)
    #expect(await continuation.wait() == 1)
  }

  @Test func `the first value counts`() async {
    let continuation = OneShotContinuation<Int>()
    #expect(continuation.resume(returning: 1))
    #expect(!continuation.resume(returning: 2))
    #expect(await continuation.wait() == 1)
  }

  @Test func `a receiver is called once, by the first resumption`() {
    let continuation = OneShotContinuation<Int>()
    let received = Log<Int>()
    continuation.onResume { received.append($0) }
    #expect(received.values.isEmpty)
    continuation.resume(returning: 1)
    continuation.resume(returning: 2)
    #expect(received.values == [1])
  }

  @Test func `only one of many threads sets its value`() async {
    for _ in 0..<rounds(200) {
      let continuation = OneShotContinuation<Int>()
      let winners = await withTaskGroup { group in
        for number in 0..<3 {
          group.addTask {
            await onThread { continuation.resume(returning: number) } ? number : nil
          }
        }
        return await group.compactMap(\.self).reduce(into: []) { $0.append($1) }
      }
      let value = await continuation.wait()
      #expect(winners == [value])
    }
  }

  @Test func `a thread that is not the main one blocks until there is a value`() async {
    let continuation = OneShotContinuation<Int>()
    let value = await onThread {
      startThread { continuation.resume(returning: 1) }
      return continuation.waitHere()
    }
    #expect(value == 1)
  }
}

final class OneShotContinuationXCTests: XCTestCase {
  func testWaitingOnTheMainThreadLetsTheMainActorRun() {
    let continuation = OneShotContinuation<Int>()
    Task { @MainActor in continuation.resume(returning: 1) }
    XCTAssertEqual(continuation.waitHere(), 1)
  }
}
