import SleeplessTesting
import Testing
import TestSupport
import XCTest

private final class Playlist {}
private final class Player {
  private(set) var playlist: Playlist?
  func play(_ playlist: Playlist) { self.playlist = playlist }
}

@Suite struct DeallocationCheckExamples {
  // DeallocationChecks.md

  @Test(.checkedAtEnd) func `a player releases its playlist`() {
    let player = trackMemory(of: Player())
    player.play(Playlist())
    assertMemoryDeallocation(in: player.playlist)
  }

  @Test func `build and release in one place`() {
    expectDeallocated {
      let player = Player()
      player.play(Playlist())
      return player
    }
  }

  @Test(.needs(.objectBirths)) func `a round trip`() {
    assertNoGrowth {
      let player = Player()
      player.play(Playlist())
    }
  }
}

// The comments of the functions.

private final class ServiceMock {}
private final class ProfileViewModel {
  let service: ServiceMock
  init(service: ServiceMock) { self.service = service }
  func load() async {}
}
private final class ProfilePage {}
private struct Navigator {
  func push(_ screen: ProfilePage) -> ProfilePage { screen }
  func pop(_ screen: ProfilePage) {}
}

final class DeallocationCheckXCExamples: XCTestCase {

  func testAssertMemoryDeallocation() async {
    let service = ServiceMock()
    func makeSUT() -> ProfileViewModel {
      let model = ProfileViewModel(service: service)
      assertMemoryDeallocation(in: model, service)
      return model
    }
    await makeSUT().load()
  }

  func testTrackMemory() async {
    func makeSUT() -> ProfileViewModel {
      trackMemory(of: ProfileViewModel(service: trackMemory(of: ServiceMock())))
    }
    await makeSUT().load()
  }
}

@Suite struct MemoryCommentExamples {
  private let service = ServiceMock()

  @Test(.checkedAtEnd) func `a profile loads`() async {
    let model = ProfileViewModel(service: service)
    assertMemoryDeallocation(in: model)
    await model.load()
  }

  @Test func `in one place`() async {
    await expectDeallocated {
      let model = ProfileViewModel(service: service)
      await model.load()
      return model
    }
  }

  @Test(.needs(.objectBirths)) func `push and pop`() {
    let navigator = Navigator()
    assertNoGrowth {
      let screen = navigator.push(ProfilePage())
      navigator.pop(screen)
    }
  }
}
