// virtual time: what sleeps here is cancelled, or sleeps on a test clock
import Foundation
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// The tests of FailureMessages.md that fail when a timeout is over.
@Suite(.needs(.capture), .failsAsShown, .timeoutOfGallery) struct TimeoutMessages {
  @Test func `the work of an advance waits for another advance`() {
    let scheduler = TestScheduler()
    let other = DispatchSemaphore(value: 0)
    scheduler.schedule(after: .seconds(1), label: "work") {
      Thread.detachNewThread {
        scheduler.advance()
        other.signal()
      }
      other.wait()
    }
    scheduler.advance(by: .seconds(1))
  }

  @Test func `a thread's dictionary keeps the song`() {
    expectDeallocated {
      let song = Song()
      Thread.current.threadDictionary["song"] = song
      return song
    }
    Thread.current.threadDictionary["song"] = nil
  }

  @Test func `it is quiet for real milliseconds`() async {
    await always("it is quiet", during: .milliseconds(50)) { true }
  }

  @Test func `a poller is never cancelled`() async {
    let polling = Task(name: "poller") { try await Task.sleep(for: .seconds(3600)) }
    await settle()
    polling.cancel()
  }

  @Test func `a loop waits for the clock`() async {
    try? await simulate {
      let end = ContinuousClock.now + .seconds(1)
      while ContinuousClock.now < end {}
    }
  }

  @Test func `nothing sleeps, and a sleeper is expected`() async {
    let clock = TestClock()
    await clock.waitForSleepers()
  }

  @Test func `nothing advances the clock`() async {
    let clock = TestClock()
    let polling = Task(name: "poller") { try await clock.sleep(for: .seconds(60)) }
    _ = await polling.result
  }
}

/// Makes the timeout of each wait a tenth of a second.
private struct GalleryTimeoutTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await HangTimeout.$shortened.withValue(.milliseconds(100)) { try await function() }
  }
}

extension Trait where Self == GalleryTimeoutTrait {
  fileprivate static var timeoutOfGallery: Self { GalleryTimeoutTrait() }
}
