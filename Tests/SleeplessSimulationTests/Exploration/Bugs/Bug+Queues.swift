// virtual time: the tests run these in simulations
import Dispatch

/// Code that gives blocks to Dispatch's queues.
extension Bug {
  static let queues = [
    Bug(
      "cancelled too late", "A key cancels a search that has begun; the old answer comes last.",
      needsQueues: true
    ) {
      try await debounce { $0.press($1) }
    } fixed: {
      try await debounce { $0.pressLatest($1) }
    },
    Bug(
      "no barrier", "A write is given to a concurrent queue as a read is; a read overtakes it.",
      needsQueues: true
    ) {
      try await sellOne { $0.sell() }
    } fixed: {
      try await sellOne { $0.sellAlone() }
    },
    Bug(
      "signal before value", "An answer signals a semaphore before another queue has stored it.",
      needsQueues: true
    ) {
      try await load { $0.load() }
    } fixed: {
      try await load { $0.loadAndStore() }
    },
    Bug(
      "two syncs",
      "A like reads the number in one sync and writes it in the next; another comes between.",
      needsBias: true, needsQueues: true
    ) {
      try await likeTwice { $0.likeInTwoSyncs() }
    } fixed: {
      try await likeTwice { $0.like() }
    },
  ]

  /// Searches when no key has been pressed for a while.
  private final class DebouncedField: @unchecked Sendable {
    // Unchecked because the state is used on the queue only.
    private let screen = DispatchQueue(label: "com.example.screen")
    private var pause = DispatchWorkItem {}
    private var text = ""
    private var results = "none"

    var shown: String { screen.sync { results } }

    func press(_ text: String) {
      search(text) { [self] in results = "results of \(text)" }
    }

    func pressLatest(_ text: String) {
      search(text) { [self] in if text == self.text { results = "results of \(text)" } }
    }

    private func search(_ text: String, then show: @escaping @Sendable () -> Void) {
      screen.sync {
        self.text = text
        pause.cancel()
        pause = DispatchWorkItem { [screen] in
          // A longer text has fewer results, so these come sooner: both answers come at 500 ms.
          let time = DispatchTimeInterval.milliseconds(500 - 200 * text.count)
          DispatchQueue.global().asyncAfter(deadline: .now() + time) {
            screen.async { show() }
          }
        }
        screen.asyncAfter(deadline: .now() + .milliseconds(200), execute: pause)
      }
    }
  }

  private static func debounce(
    _ press: @escaping @Sendable (DebouncedField, String) -> Void
  ) async throws {
    let field = DebouncedField()
    press(field, "a")
    try await Task.sleep(for: .milliseconds(200))
    press(field, "ab")
    try await Task.sleep(for: .seconds(1))
    let shown = field.shown
    try check(shown == "results of ab", "the \(shown) on the screen")
  }

  /// A number that many blocks may read at the same time, and that a block changes alone.
  private final class Stock: @unchecked Sendable {
    // Unchecked because the number is used on the queue only.
    private let queue = DispatchQueue(label: "com.example.stock", attributes: .concurrent)
    private var number = 3

    var left: Int { queue.sync { number } }

    func sell() {
      queue.async { [self] in number -= 1 }
    }

    func sellAlone() {
      queue.async(flags: .barrier) { [self] in number -= 1 }
    }
  }

  private static func sellOne(_ sell: @escaping @Sendable (Stock) -> Void) async throws {
    let (stock, receipt) = (Stock(), Box("none"))
    sell(stock)
    await receipt.set("printed")
    let left = stock.left
    try check(left == 2, "one of 3 is sold, and \(left) are left")
  }

  /// Waits for the answer of a server on its caller's thread.
  private final class Price: @unchecked Sendable {
    // Unchecked because the number is read when it has been stored; the bug reads it too early.
    private let screen = DispatchQueue(label: "com.example.screen")
    private var cents = 0

    func load() -> Int {
      let isLoaded = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { [self] in
        screen.async { [self] in cents = 95 }
        isLoaded.signal()
      }
      isLoaded.wait()
      return cents
    }

    func loadAndStore() -> Int {
      let isLoaded = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { [self] in
        screen.async { [self] in
          cents = 95
          isLoaded.signal()
        }
      }
      isLoaded.wait()
      return cents
    }
  }

  /// A number that a queue guards.
  private final class Likes: @unchecked Sendable {
    // Unchecked because the number is used on the queue only.
    private let queue = DispatchQueue(label: "com.example.likes")
    private var number = 0

    var count: Int { queue.sync { number } }

    func like() { queue.sync { number += 1 } }

    func likeInTwoSyncs() {
      let old = count
      queue.sync { number = old + 1 }
    }
  }

  private static func likeTwice(_ like: @escaping @Sendable (Likes) -> Void) async throws {
    let likes = Likes()
    await withTaskGroup { group in
      for _ in 1...2 { group.addTask { like(likes) } }
    }
    let count = likes.count
    try check(count == 2, "two like it, and \(count) are counted")
  }

  private static func load(_ load: @escaping @Sendable (Price) -> Int) async throws {
    let cents = load(Price())
    try check(cents == 95, "the price is \(cents) cents")
  }
}
