// virtual time: what sleeps here does so in simulations
import Foundation
import Observation
import SleeplessTesting
import TestSupport
import Testing

/// The recipes of Recipes.md about what a user sees.
enum ScreenRecipes {
  @Suite(.needs(.capture)) struct ViewModel {
    struct Offline: Error {}

    @MainActor final class OrderModel {
      enum State: Equatable, Sendable { case empty, loading, loaded(String), failed }

      @PublishedState private(set) var state = State.empty
      private let fetch: () async throws -> String

      init(fetch: @escaping () async throws -> String) { self.fetch = fetch }

      func load() {
        state = .loading
        Task {
          do { state = .loaded(try await fetch()) } catch { state = .failed }
        }
      }
    }

    @MainActor
    @Test(.simulated) func `an order is loaded after a failure`() async {
      let fetch = Stub<Void, String>("fetch")
      fetch.inTurn(.error(Offline()), .after(.seconds(1), .value("Order 7")))
      let model = OrderModel { try await fetch() }
      let states = Recorder(model.$state, "states")

      model.load()
      await states.expect(.empty, .loading, .failed)
      model.load()
      await states.expect(.loading, .loaded("Order 7"))
    }
  }

  @Suite struct SwiftUIModel {
    @MainActor @Observable final class CartModel {
      private(set) var total = 0
      private(set) var isBusy = false

      func add(_ article: String, price: (String) async -> Int) async {
        isBusy = true
        let amount = await price(article)
        total += amount
        isBusy = false
      }
    }

    @MainActor
    @Test func `the cart is busy while it asks for the price`() async {
      let model = CartModel()
      let busy = Recorder(of: model, \.isBusy, "busy")
      await model.add("Tea") { _ in 3 }
      await busy.expect(false, true, false)
      #expect(model.total == 3)
    }
  }

  @Suite(.needs(.capture)) struct Pagination {
    @MainActor final class Feed {
      private(set) var items: [String] = []
      private var isLoading = false
      private let page: (Int) async throws -> [String]

      init(page: @escaping (Int) async throws -> [String]) { self.page = page }

      func reachedEnd() {
        guard !isLoading else { return }
        isLoading = true
        Task {
          let more = try? await page(items.count)
          items += more ?? []
          isLoading = false
        }
      }
    }

    @MainActor
    @Test(.simulated) func `a page is asked for once`() async throws {
      let page = Stub<Int, [String]>("page")
      let gate = Gate<[String]>("pages")
      page.always(.held(by: gate))
      let feed = Feed { try await page($0) }

      feed.reachedEnd()
      let call = try await gate.entered()
      feed.reachedEnd()
      call.succeed(with: ["a", "b"])
      await settle()
      #expect(feed.items == ["a", "b"])
      #expect(page.calls.count == 1)
    }
  }

  @Suite struct Notifications {
    @MainActor final class Badge {
      private(set) var count = 0
      private var observer: (any NSObjectProtocol)?

      init(center: NotificationCenter = .default) {
        let name = Notification.Name("MessageCame")
        observer = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
          MainActor.assumeIsolated { self?.count += 1 }
        }
      }
    }

    @MainActor
    @Test func `each message counts, and the centre does not keep the badge`() {
      let center = NotificationCenter()
      expectDeallocated {
        let badge = Badge(center: center)
        center.post(name: Notification.Name("MessageCame"), object: nil)
        center.post(name: Notification.Name("MessageCame"), object: nil)
        #expect(badge.count == 2)
        return badge
      }
    }
  }
}
