import Dispatch
import SleeplessTesting

// Objects held by blocks, by memory that the code manages itself, and by static collections.

private final class SearchField {
  var pending: DispatchWorkItem?
  var block: (@convention(block) () -> Void)?
  var isVisible = true
}

private final class Feed {
  var queue: DispatchQueue?
  var posts = 0
}

private final class Page {
  var tiles: ManagedBuffer<Int, Page>?
  var rows: UnsafeMutableBufferPointer<Page>?
  var updates: AsyncStream<Page>.Continuation?
  var received: AsyncStream<Page>?

  deinit {
    tiles?.withUnsafeMutablePointerToElements { _ = $0.deinitialize(count: 1) }
    rows?.deinitialize()
    rows?.deallocate()
  }
}

private final class Catalogue {
  nonisolated(unsafe) static var byShelf: [String: [Int: Catalogue]] = [:]
  nonisolated(unsafe) static var latest: [Catalogue] = []
}

extension Leak {
  static let blocks = [
    Leak(
      "a work item that its object keeps", at: #line + 4,
      reads: cycle(
        "SearchField", "SearchField.pending -> DispatchWorkItem -> closure capturing SearchField")
    ) {
      await expectDeallocated {
        let field = SearchField()
        nonisolated(unsafe) let held = field
        field.pending = DispatchWorkItem { held.isVisible = false }
        return field
      }
    } healthy: {
      await expectDeallocated {
        let field = SearchField()
        nonisolated(unsafe) weak let held = field
        field.pending = DispatchWorkItem { held?.isVisible = false }
        return field
      }
    },
    Leak(
      "a block in a property", at: #line + 3,
      reads: cycle("SearchField", "SearchField.block -> closure capturing SearchField")
    ) {
      await expectDeallocated {
        let field = SearchField()
        nonisolated(unsafe) let held = field
        field.block = { held.isVisible = false }
        return field
      }
    } healthy: {
      await expectDeallocated {
        let field = SearchField()
        nonisolated(unsafe) weak let held = field
        field.block = { held?.isVisible = false }
        return field
      }
    },
    Leak(
      "a suspended queue", at: #line + 4,
      reads: guess(cycle("Feed", "Feed.queue -> DispatchQueue -> Feed")),
      inSimulations: .reads(unreached("Feed"))
    ) {
      await expectDeallocated {
        let feed = Feed()
        nonisolated(unsafe) let held = feed
        let queue = DispatchQueue(label: "feed")
        queue.suspend()
        queue.async { held.posts += 1 }
        feed.queue = queue
        return feed
      }
    } healthy: {
      await expectDeallocated {
        let feed = Feed()
        nonisolated(unsafe) let held = feed
        let queue = DispatchQueue(label: "feed")
        queue.suspend()
        queue.async { held.posts += 1 }
        feed.queue = queue
        queue.resume()
        return feed
      }
    },
    Leak(
      "an element of a managed buffer", at: #line + 3,
      reads: guess(cycle("Page", "Page.tiles -> ManagedBuffer<Int, Page> -> Page"))
    ) {
      await expectDeallocated {
        let page = Page()
        page.tiles = buffer(of: page)
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        page.tiles = buffer(of: Page())
        return page
      }
    },
    Leak(
      "a later element of allocated memory", at: #line + 3,
      reads: guess(cycle("Page", "Page.rows -> Page"))
    ) {
      await expectDeallocated {
        let page = Page()
        page.rows = .allocate(capacity: 3)
        _ = page.rows?.initialize(from: [Page(), Page(), page])
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        page.rows = .allocate(capacity: 3)
        _ = page.rows?.initialize(from: [Page(), Page(), Page()])
        return page
      }
    },
    Leak(
      "the buffer of a stream", at: #line + 3,
      reads: guess(cycle("Page", "Page.updates -> _Storage -> Page"))
    ) {
      await expectDeallocated {
        let page = Page()
        let (received, updates) = AsyncStream.makeStream(of: Page.self)
        nonisolated(unsafe) let sent = page
        updates.yield(sent)
        page.updates = updates
        page.received = received
        return page
      }
    } healthy: {
      await expectDeallocated {
        let page = Page()
        let (received, updates) = AsyncStream.makeStream(of: Page.self)
        updates.yield(Page())
        page.updates = updates
        page.received = received
        return page
      }
    },
    Leak(
      "a static dictionary of dictionaries", at: #line + 3,
      reads: program("Catalogue", "Catalogue.byShelf[\"new\"][7] -> Catalogue")
    ) {
      await expectDeallocated {
        let catalogue = Catalogue()
        Catalogue.byShelf["new"] = [7: catalogue]
        return catalogue
      }
      Catalogue.byShelf = [:]
    } healthy: {
      await expectDeallocated {
        let catalogue = Catalogue()
        Catalogue.byShelf["new"] = [7: catalogue]
        Catalogue.byShelf = [:]
        return catalogue
      }
    },
    Leak(
      "a static array", at: #line + 3,
      reads: program("Catalogue", "Catalogue.latest[1] -> Catalogue")
    ) {
      await expectDeallocated {
        let catalogue = Catalogue()
        Catalogue.latest = [Catalogue(), catalogue]
        return catalogue
      }
      Catalogue.latest = []
    } healthy: {
      await expectDeallocated {
        let catalogue = Catalogue()
        Catalogue.latest = [Catalogue(), catalogue]
        Catalogue.latest = []
        return catalogue
      }
    },
  ]

  private static func buffer(of page: Page) -> ManagedBuffer<Int, Page> {
    let buffer = ManagedBuffer<Int, Page>.create(minimumCapacity: 4) { _ in 1 }
    buffer.withUnsafeMutablePointerToElements { $0.initialize(to: page) }
    return buffer
  }
}
