/// Every schedule once: the next schedule differs at the last choice that has an untried alternative.
///
/// With a limit, only the schedules that depart from the default at most that often: M. Musuvathi, S.
/// Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007.
final class Exhaustive: Strategy {
  let name = "exhaustive"
  private let switchLimit: Int

  private struct Branch {
    /// Counted from the default on.
    var offset: Int
    let width: Int
    /// How many switches the choices before it make.
    let switches: Int
  }

  private var path: ContiguousArray<Branch> = []
  private var depth = 0
  private(set) var hasMore = true
  /// Whether a schedule had other choices than the one before it, although it began alike.
  private(set) var hasDiverged = false

  init(switchLimit: Int = .max) { self.switchLimit = switchLimit }

  func begin(seed: UInt64, statistics: ExplorationStatistics) { depth = 0 }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    defer { depth += 1 }
    if depth < path.count {
      if path[depth].width != runnable.count { hasDiverged = true }
      return (context.defaultIndex + path[depth].offset) % runnable.count
    }
    let last = path.last
    let switches = (last?.switches ?? 0) + (last.map { $0.offset > 0 ? 1 : 0 } ?? 0)
    path.append(Branch(offset: 0, width: runnable.count, switches: switches))
    return context.defaultIndex
  }

  func end() {
    path.removeSubrange(min(depth, path.count)...)
    while let last = path.last {
      let isSpent = last.offset + 1 >= last.width || last.switches >= switchLimit
      guard isSpent else {
        path[path.count - 1].offset += 1
        return
      }
      path.removeLast()
    }
    hasMore = false
  }
}
