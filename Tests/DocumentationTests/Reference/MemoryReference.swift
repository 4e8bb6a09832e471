import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of checks of memory.
@Suite struct MemoryReference {
  @Test(.needs(.objectBirths)) func `a round trip leaves nothing`() {
    assertNoGrowth(rounds: 6) {
      let player = Player()
      player.play(Playlist())
    }  // passes: no Player or Playlist is left
  }

  @Test(.needs(.objectBirths)) func `a round trip of an async test leaves nothing`() async {
    await assertNoGrowth(rounds: 6) {
      let player = Player()
      player.play(Playlist())
    }  // passes: no Player or Playlist is left
  }

  @Test func `an object is released`() {
    expectDeallocated {
      let player = Player()
      player.play(Playlist())
      return player
    }  // fails if something still holds the player
  }

  @Test func `two objects of an async test are released`() async {
    await expectDeallocated {
      let player = Player()
      let playlist = Playlist()
      player.play(playlist)
      return (player, playlist)  // both are watched
    }
  }
}

private final class Playlist {}

private final class Player {
  private(set) var playlist: Playlist?

  func play(_ playlist: Playlist) { self.playlist = playlist }
}
