/// Every schedule once: the next schedule differs at the last choice that has an untried alternative.
///
/// With a limit, only the schedules that depart from the default at most that often: M. Musuvathi, S.
/// Qadeer, "Iterative context bounding for systematic testing of multithreaded programs", PLDI 2007.
final class Exhaustive: Strategy {
  let name = "exhaustive"
  let isFixed = true
  private let switchLimit: Int
  private let tasks: Set<UInt64>?
  private let withinSteps: Set<PlaceWithinStep>

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

  /// With `tasks`, the keys of some tasks, only these take switches, and only from each other.
  /// `withinSteps` are the places of tasks that run within the steps of others, in every schedule.
  init(
    switchLimit: Int = .max, among tasks: Set<UInt64>? = nil, withinSteps: [PlaceWithinStep] = []
  ) {
    self.switchLimit = switchLimit
    self.tasks = tasks
    self.withinSteps = Set(withinSteps)
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) { depth = 0 }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    defer { depth += 1 }
    let others = others(among: runnable, in: context)
    let width = others.map { $0.count + 1 } ?? runnable.count
    if depth < path.count {
      let offset = path[depth].offset
      guard let others else { return (context.defaultIndex + offset) % runnable.count }
      return offset == 0 || offset > others.count ? context.defaultIndex : others[offset - 1]
    }
    let last = path.last
    let switches = (last?.switches ?? 0) + (last.map { $0.offset > 0 ? 1 : 0 } ?? 0)
    path.append(Branch(offset: 0, width: width, switches: switches))
    return context.defaultIndex
  }

  /// The indices of the jobs to which a switch between the given tasks is possible; nil if all
  /// tasks take switches.
  private func others(
    among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext
  ) -> [Int]? {
    guard let tasks else { return nil }
    var others: [Int] = []
    guard context.tasks.isKey(of: context.latest, in: tasks) else { return others }
    for index in 0..<runnable.count where index != context.defaultIndex {
      if context.tasks.isKey(of: runnable[index].task, in: tasks) { others.append(index) }
    }
    return others
  }

  var mayRunWithinSteps: Bool { !withinSteps.isEmpty }

  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool {
    context.placeWithinStep(of: task).map(withinSteps.contains) ?? false
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
