import Foundation
import SleeplessTesting
import VirtualTime

// The failures of memory checks that watch nothing or find growth.

private final class Song {
  var next: Song?
  var onEnd: (() -> Void)?
}
private struct Title { var text = "" }
private final class Goner {
  deinit { assertMemoryDeallocation(in: self) }
}

/// Runs code as a test that knows its end, and ends it.
func withEndOfTest(_ body: () async -> Void) async {
  let end = EndOfTest()
  await EndOfTest.$current.withValue(end) {
    await body()
    await end.finish()
  }
}

extension FailureCase {
  static let memory = [
    FailureCase(
      "nil", at: #line + 8,
      reads: """
        assertMemoryDeallocation(in:) was given nil, so it watches nothing.
        Call it while the object is there: before it is set to nil, and with the object itself \
        rather than a weak reference to it.
        """
    ) {
      await withEndOfTest {
        assertMemoryDeallocation(in: nil as Song?)
      }
    },
    FailureCase(
      "a value", at: #line + 8,
      reads: """
        trackMemory(of:) was given a value of type Title, so it watches nothing: values are \
        copied, and only objects are deallocated.
        Give it the object that the value holds.
        """
    ) {
      await withEndOfTest {
        trackMemory(of: Title())
      }
    },
    FailureCase(
      "an object in its deinit", at: 13,
      reads: """
        assertMemoryDeallocation(in:) was given a Goner that is being deallocated, so it watches nothing.
        It was called in its deinit. Call it where the object is made.
        """
    ) {
      await withEndOfTest { _ = Goner() }
    },
    FailureCase(
      "a test that has ended", at: #line + 9,
      reads: """
        assertMemoryDeallocation(in:) was given a Song when the test had ended, so it watches nothing.
        Call it in the test or in setUp, not in tearDown, and not in work that outlives the test.
        """
    ) {
      let end = EndOfTest()
      await end.finish()
      EndOfTest.$current.withValue(end) {
        assertMemoryDeallocation(in: Song())
      }
    },
    FailureCase(
      "a closure that returns no object", at: #line + 7,
      reads: """
        expectDeallocated was given a value of type Int, so it watches nothing: values are \
        copied, and only objects are deallocated.
        Give it the object that the value holds.
        """
    ) {
      await expectDeallocated { 1 }
    },
    FailureCase(
      "a closure that returns nil", at: #line + 7,
      reads: """
        expectDeallocated was given nil, so it watches nothing.
        Call it while the object is there: before it is set to nil, and with the object itself \
        rather than a weak reference to it.
        """
    ) {
      await expectDeallocated { nil as Song? }
    },
    FailureCase(
      "an object that is left at the end of the test", at: #line + 10, needs: .memorySearch,
      reads: """
        Song was not deallocated: it keeps itself alive.
          Song.onEnd -> closure capturing Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        """
    ) {
      await withEndOfTest {
        let song = Song()
        assertMemoryDeallocation(in: song)
        song.onEnd = { song.next = nil }
      }
    },
    FailureCase(
      "no object at all", at: #line + 7,
      reads: """
        assertMemoryDeallocation(in:) was called without an object, so it watches nothing.
        Give it the objects that must be released.
        """
    ) {
      await withEndOfTest {
        assertMemoryDeallocation()
      }
    },
    FailureCase(
      "a metatype", at: #line + 8,
      reads: """
        trackMemory(of:) was given a value of type Song.Type, so it watches nothing: values are \
        copied, and only objects are deallocated.
        Give it the object that the value holds.
        """
    ) {
      await withEndOfTest {
        trackMemory(of: Song.self)
      }
    },
    FailureCase(
      "a structure in a box", at: #line + 8,
      reads: """
        trackMemory(of:) was given a value of type Title, in a box, so it watches nothing: values are \
        copied, and only objects are deallocated.
        Give it the object that the value holds.
        """
    ) {
      await withEndOfTest {
        trackMemory(of: Title() as AnyObject)
      }
    },
    FailureCase(
      "an optional that is nil in trackMemory", at: #line + 8,
      reads: """
        trackMemory(of:) was given nil, so it watches nothing.
        Call it while the object is there: before it is set to nil, and with the object itself \
        rather than a weak reference to it.
        """
    ) {
      await withEndOfTest {
        trackMemory(of: nil as Song?)
      }
    },
    FailureCase(
      "nil in a tuple in an array", at: #line + 7,
      reads: """
        expectDeallocated was given nil at [1].second, so it watches nothing there.
        Call it while the object is there: before it is set to nil, and with the object itself \
        rather than a weak reference to it.
        """
    ) {
      await expectDeallocated {
        [(first: Song(), second: Song()), (Song(), nil)] as [(first: Song, second: Song?)]
      }
    },
    FailureCase(
      "an empty array", at: #line + 6,
      reads: """
        expectDeallocated was given an empty Array<Song> at .1, so it watches nothing there.
        Call it while the objects are there.
        """
    ) {
      await expectDeallocated { (Song(), [] as [Song]) }
    },
    FailureCase(
      "an object in nested values", at: #line + 8, needs: .memorySearch,
      reads: """
        Song was not deallocated: it keeps itself alive.
          Song.onEnd -> closure capturing Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        """
    ) {
      await expectDeallocated {
        let song = Song()
        song.onEnd = { song.next = nil }
        return [(Song(), [song, nil ?? song] as [Song]?), (song, nil ?? [Song()])]
      }
    },
    FailureCase(
      "an object that several calls watch", at: #line + 12, needs: .memorySearch,
      reads: """
        Song was not deallocated: it keeps itself alive.
          Song.onEnd -> closure capturing Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        It is watched 3 times, also at FailureCase+Memory.swift:\(#line + 8).
        """
    ) {
      await withEndOfTest {
        let song = Song()
        for _ in 1...2 {
          trackMemory(of: song)
        }
        assertMemoryDeallocation(in: song, song)
        song.onEnd = { song.next = nil }
      }
    },
    FailureCase(
      "ten objects of one cycle", at: #line + 11, needs: .memorySearch,
      reads: """
        Song was not deallocated: it keeps itself alive.
          \(String(repeating: "Song.next -> ", count: 10))Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        9 other watched objects are in the same cycle: 8 Song at FailureCase+Memory.swift:\(#line + 8), \
        Song at FailureCase+Memory.swift:\(#line + 10).
        """
    ) {
      await withEndOfTest {
        let first = trackMemory(of: Song())
        var last = first
        for _ in 2...9 {
          last.next = trackMemory(of: Song())
          last = last.next!
        }
        last.next = trackMemory(of: Song())
        last.next?.next = first
      }
    },
    FailureCase(
      "one round", at: #line + 6,
      reads: """
        assertNoGrowth needs at least 2 rounds (was 1). Nothing was run.
        What is left after one round may be a cache; what is left after every round grows.
        """
    ) {
      await assertNoGrowth(rounds: 1) {}
    },
    FailureCase(
      "growth", at: #line + 14, needs: .objectBirths, .memorySearch,
      reads: """
        Objects of 1 type stayed behind in each of 3 rounds:
          Song: +2, +2, +2
        About the last Song:
        Song was not deallocated: it keeps itself alive.
          Song.next -> Song.next -> Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) \
        with more rounds than the cache has places.
        """
    ) {
      await HangTimeout.$shortened.withValue(.milliseconds(300)) {
        await assertNoGrowth(rounds: 3) {
          let song = Song()
          song.next = Song()
          song.next?.next = song
        }
      }
    },
    FailureCase(
      "growth in every second round", at: #line + 15, needs: .objectBirths, .memorySearch,
      reads: """
        Objects of 1 type stayed behind in at least every second of 8 rounds:
          Song: +2, +0, +2, +0, +2, +0, +2, +0
        About the last Song:
        Song was not deallocated: it keeps itself alive.
          Song.next -> Song.next -> Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) \
        with more rounds than the cache has places.
        """
    ) {
      await HangTimeout.$shortened.withValue(.milliseconds(300)) {
        var isRepeated = false
        await assertNoGrowth {
          if isRepeated {
            let song = Song()
            song.next = Song()
            song.next?.next = song
          }
          isRepeated.toggle()
        }
      }
    },
    FailureCase(
      "growth in the second of three rounds", at: #line + 16, needs: .objectBirths, .memorySearch,
      reads: """
        Objects of 1 type stayed behind in at least every second of 6 rounds:
          Song: +0, +5, +0, +5, +0, +5
        About the last Song:
        Song was not deallocated: it keeps itself alive.
          Song.next -> Song.next -> Song.next -> Song
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) \
        with more rounds than the cache has places.
        """
    ) {
      await HangTimeout.$shortened.withValue(.milliseconds(300)) {
        // The round that is not counted is one of those that leave objects.
        var isRepeated = true
        await assertNoGrowth(rounds: 3) {
          if isRepeated {
            let song = Song()
            song.next = Song()
            song.next?.next = song
            let last = Song()
            last.next = Song()
            last.next?.next = Song()
            last.next?.next?.next = last
          }
          isRepeated.toggle()
        }
      }
    },
  ]

  /// In XCTest alone: a trait of Swift Testing always comes to its end.
  static let memoryWithLostEnd = FailureCase(
    "an end that never comes", at: #line + 7,
    reads: """
      Song was to be released by the end of the test, but was not checked: the end never came.
      The test was stopped before its checks. Nothing is known about the object. Correct what stopped the test, and run it again.
      """
  ) {
    EndOfTest.$current.withValue(EndOfTest()) {
      assertMemoryDeallocation(in: Song())
    }
  }

  /// In Swift Testing alone: XCTest always knows the end.
  static let memoryWithoutEnd = FailureCase(
    "a test whose end is unknown", at: #line + 9,
    reads: """
      assertMemoryDeallocation(in:) watches nothing: the end of this test is unknown, so Song would \
      never be looked for.
      Give the test or its suite the trait .checkedAtEnd (.simulated includes it), or build and release \
      the object in expectDeallocated { ... }. A detached task, a dispatch queue or a thread does not know \
      its test: call it in the test itself.
      """
  ) {
    assertMemoryDeallocation(in: Song())
  }
}
