// virtual time: in simulations no sleep takes time, and on real threads each sleep here is of zero or is cancelled
import Sleepless
import TestSupport
import Testing

/// A small program whose tasks note letters. Only the order of the letters varies.
///
/// Each task notes at most one letter from one suspension to the next, and notes it before it wakes another task:
/// what happens between two statements of one step is not a matter of schedules.
struct SmallProgram: Sendable, CustomTestStringConvertible {
  typealias Note = @Sendable (Character) -> Void

  /// The suspension that the program is about.
  let name: String
  /// Letters of which each comes before the next, in every order; several such words, with spaces between.
  let chains: String
  let body: @Sendable (@escaping Note) async -> Void

  var testDescription: String { name }

  init(
    _ name: String, _ chains: String, _ body: @escaping @Sendable (@escaping Note) async -> Void
  ) {
    (self.name, self.chains, self.body) = (name, chains, body)
  }

  /// A task that notes a and b, with `pause` between them, beside a task that notes x and y with a yield between.
  init(_ name: String, between pause: @escaping @Sendable () async -> Void) {
    self.init(
      name, "ab",
      beside: { note in
        note("a")
        await pause()
        note("b")
      })
  }

  /// A task beside a task that notes x and y with a yield between.
  init(
    _ name: String, _ chains: String,
    beside task: @escaping @Sendable (@escaping Note) async -> Void
  ) {
    self.init(name, chains + " xy") { note in
      await together(
        { await task(note) },
        {
          note("x")
          await Task.yield()
          note("y")
        })
    }
  }

  /// All orders that the chains allow.
  var allOrders: Set<String> {
    let words = chains.split(separator: " ")
    var orders = [""]
    for letter in Set(chains.filter { $0 != " " }) {
      orders = orders.flatMap { order in
        (0...order.count).map { place in
          String(order.prefix(place)) + [letter] + String(order.dropFirst(place))
        }
      }
    }
    return Set(orders.filter { order in words.allSatisfy { $0 == order.filter($0.contains) } })
  }

  /// Runs the program once and returns its letters, in order. `delay` runs before and after each.
  func order(delay: @escaping @Sendable (Int) -> Void = { _ in }) async -> String {
    let log = Locked("")
    await body { letter in
      delay(Int(letter.asciiValue!))
      log.withLock { $0.append(letter) }
      delay(2 * Int(letter.asciiValue!))
    }
    return log.withLock { $0 }
  }
}

/// Runs each closure in a task of its own, and waits until the last one has ended.
///
/// A group would add steps of its own: the last task to end resumes the caller.
func together(_ bodies: @Sendable () async -> Void...) async {
  let left = Locked(bodies.count)
  await withUnsafeContinuation { (end: UnsafeContinuation<Void, Never>) in
    for body in bodies {
      Task {
        await body()
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { end.resume() }
      }
    }
  }
}
