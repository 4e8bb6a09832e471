import Dispatch
import Sleepless
import SleeplessTesting
import Testing
import XCTest

/// A list that holds itself.
private final class Playlist {
  var next: Playlist?

  static func leaking() -> Playlist {
    let playlist = Playlist()
    playlist.next = playlist
    return playlist
  }
}

/// What a static variable holds.
private enum Archive {
  nonisolated(unsafe) static var kept: Playlist?  // Unsafe because one test at a time uses it.

  static func keep() -> Playlist {
    let playlist = Playlist()
    kept = playlist
    return playlist
  }
}

@Suite(.checkedAtEnd) struct Leaks {
  @Test func leaking() {
    assertMemoryDeallocation(in: Playlist.leaking())  // MARK: Swift leak
  }

  @Test func released() {
    assertMemoryDeallocation(in: trackMemory(of: Playlist()))
  }
}

/// An object that the handler of its timer holds.
private final class Ticker {
  var timer: (any DispatchSourceTimer)?
  var ticks = 0
}

@Suite struct TimerLeaks {
  @Test func leaking() async {
    await expectDeallocated {  // MARK: timer leak
      let ticker = Ticker()
      // Unsafe because the timer never fires.
      nonisolated(unsafe) let held = ticker
      let timer = DispatchSource.makeTimerSource()
      timer.setEventHandler { held.ticks += 1 }
      timer.schedule(deadline: .now() + 3600)  // real time: longer than the test
      timer.activate()
      ticker.timer = timer
      return ticker
    }
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class LeakTests: XCTestCase {
    func testLeaking() {
      assertMemoryDeallocation(in: Playlist.leaking())  // MARK: XCTest leak
    }

    func testReleased() {
      assertMemoryDeallocation(in: trackMemory(of: Playlist()))
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testLeaking", testLeaking), ("testReleased", testReleased)])]
    }
  }

  class SimulatedLeakTests: SimulatedTestCase {
    func testExpected() async {
      await expectDeallocated { Archive.keep() }  // MARK: simulated expected
    }

    func testTracked() async {
      trackMemory(of: Archive.keep())  // MARK: simulated tracked
    }

    func testTrackedSynchronously() {
      trackMemory(of: Archive.keep())  // MARK: simulated tracked synchronously
    }

    func testGrowing() async {
      let songs = Locked<[Song]>([])
      await assertNoGrowth {  // MARK: simulated growing
        songs.withLock { $0.append(Song()) }
      }
    }

    func testNothing() {}

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testExpected", asyncTest(testExpected)), ("testTracked", asyncTest(testTracked)),
          ("testTrackedSynchronously", testTrackedSynchronously),
          ("testGrowing", asyncTest(testGrowing)), ("testNothing", testNothing),
        ])
      ]
    }
  }

  private final class Song: Sendable {}
#endif
