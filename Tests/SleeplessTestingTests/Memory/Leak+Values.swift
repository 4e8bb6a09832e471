import Observation
import SleeplessTesting
import Synchronization

// Objects held by values that other objects hold: structures, enums, existentials, errors.

private protocol Service {}
private struct LiveService: Service { let owner: Client }
private struct LargeService: Service {
  let one = 1
  let two = 2
  let three = 3
  let owner: Client
}
private struct WeakService: Service { weak var owner: Client? }
private final class Client {
  var service: (any Service)?
  var anything: Any = 0
}

private final class Page {
  enum State {
    case empty
    case loading(Int)
    case loaded(Page, title: String)
    case failed(any Error)
  }
  var state = State.empty
  var settings = Settings()
  struct Settings {
    var isOn = true
    var link: Link?
  }
  struct Link {
    unowned(unsafe) var near: Page?
    var target: Page?
  }
}
private struct PageError: Error { nonisolated(unsafe) let page: Page? }

private final class List {
  indirect enum Chain {
    case end
    case link(List, Chain)
  }
  var chain = Chain.end
}

@Observable private final class Settings {
  var theme = "dark"
  var onSave: () -> Void = {}
}

private final class Lobby: Sendable {
  private let guests = Mutex<[String: @Sendable () -> Void]>([:])
  func invite(_ body: (@Sendable () -> Void)?) { guests.withLock { $0["Zoë"] = body } }
}

private actor Store {
  private var onEvict: (() -> Void)?
  private(set) var count = 0
  func leak() { onEvict = { self.count += 1 } }
  func behave() { onEvict = { [weak self] in _ = self } }
}

extension Leak {
  static let values = [
    Leak(
      "a protocol existential", at: #line + 3,
      reads: cycle("Client", "Client.service.owner -> Client")
    ) {
      await expectDeallocated {
        let client = Client()
        client.service = LiveService(owner: client)
        return client
      }
    } healthy: {
      await expectDeallocated {
        let client = Client()
        client.service = WeakService(owner: client)
        return client
      }
    },
    Leak(
      "a value in a box", at: #line + 3,
      reads: cycle("Client", "Client.anything.owner -> Client")
    ) {
      await expectDeallocated {
        let client = Client()
        client.anything = LargeService(owner: client)
        return client
      }
    } healthy: {
      await expectDeallocated {
        let client = Client()
        client.anything = LargeService(owner: Client())
        return client
      }
    },
    Leak(
      "an enum's payload", at: #line + 3,
      reads: cycle("Page", "Page.state.loaded.0 -> Page")
    ) {
      await expectDeallocated {
        let page = Page()
        page.state = .loaded(page, title: "Home")
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        page.state = .loaded(page, title: "Home")
        page.state = .loading(1)
        return page
      }
    },
    Leak(
      "an error", at: #line + 3,
      reads: cycle("Page", "Page.state.failed.page -> Page")
    ) {
      await expectDeallocated {
        let page = Page()
        page.state = .failed(PageError(page: page))
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        page.state = .failed(PageError(page: nil))
        return page
      }
    },
    Leak(
      "a structure in a structure", at: #line + 3,
      reads: cycle("Page", "Page.settings.link.target -> Page")
    ) {
      await expectDeallocated {
        let page = Page()
        page.settings.link = Page.Link(near: page, target: page)
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        page.settings.link = Page.Link(near: page, target: nil)
        return page
      }
    },
    Leak(
      "a recursive enum", at: #line + 3,
      reads: cycle("List", "List.chain.link.1.link.0 -> List")
    ) {
      await expectDeallocated {
        let list = List()
        list.chain = .link(List(), .link(list, .end))
        return list
      }
    } healthy: {
      await expectDeallocated {
        let list = List()
        list.chain = .link(List(), .link(List(), .end))
        return list
      }
    },
    Leak(
      "an @Observable class", at: #line + 3,
      reads: cycle("Settings", "Settings.onSave -> closure capturing Settings")
    ) {
      await expectDeallocated {
        let settings = Settings()
        settings.onSave = { settings.theme = "light" }
        return settings
      }
    } healthy: {
      await expectDeallocated {
        let settings = Settings()
        settings.onSave = { [weak settings] in settings?.theme = "light" }
        return settings
      }
    },
    Leak(
      "an actor's state", at: #line + 3,
      reads: cycle("Store", "Store.onEvict -> closure capturing Store")
    ) {
      await expectDeallocated {
        let store = Store()
        await store.leak()
        return store
      }
    } healthy: {
      await expectDeallocated {
        let store = Store()
        await store.behave()
        return store
      }
    },
    Leak(
      "what a mutex protects", at: #line + 3,
      reads: guess(cycle("Lobby", "Lobby.guests[\"Zoë\"] -> closure capturing Lobby"))
    ) {
      await expectDeallocated {
        let lobby = Lobby()
        lobby.invite { _ = lobby }
        return lobby
      }
    } healthy: {
      await expectDeallocated {
        let lobby = Lobby()
        lobby.invite { _ = lobby }
        lobby.invite(nil)
        return lobby
      }
    },
  ]
}
