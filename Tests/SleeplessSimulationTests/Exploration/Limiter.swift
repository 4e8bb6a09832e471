// virtual time: everything here runs in simulations
import Sleepless

/// Lets at most `limit` calls work at the same time. Its mistake: it counts a call some steps after
/// the check.
final class Limiter: Sendable {
  private struct State {
    var working = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var most = 0
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// The most calls that worked at the same time.
  var most: Int { state.withLock { $0.most } }

  func run(_ work: () async -> Void) async {
    while state.withLock({ $0.working >= limit }) {
      await withCheckedContinuation { call in state.withLock { $0.waiting.append(call) } }
    }
    // Other calls pass the check meanwhile.
    await Task.yield()
    state.withLock {
      $0.working += 1
      $0.most = max($0.most, $0.working)
    }
    await work()
    let next = state.withLock { state in
      state.working -= 1
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    next?.resume()
  }

  /// The most calls that work at the same time, when that many tasks come one after another.
  static func most(limit: Int, tasks: Int) async -> Int {
    let limiter = Limiter(limit: limit)
    await withTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask { await limiter.run { await Task.yield() } }
        for _ in 0..<3 { await Task.yield() }
      }
    }
    return limiter.most
  }
}
