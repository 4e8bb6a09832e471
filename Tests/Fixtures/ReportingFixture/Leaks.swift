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

@Suite(.checkedAtEnd) struct Leaks {
  @Test func leaking() {
    assertMemoryDeallocation(in: Playlist.leaking())  // MARK: Swift leak
  }

  @Test func released() {
    assertMemoryDeallocation(in: trackMemory(of: Playlist()))
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
#endif
