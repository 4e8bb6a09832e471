import CHeapWalk
import Sleepless

/// Finds the references that keep an object alive.
///
/// The search does not depend on tests or simulations: its caller provides the roots of paths.
package struct RetainPathSearch {
  /// The longest CPU time of one search. Tests of an exhausted budget shorten it.
  @TaskLocal package static var budget: Duration = .milliseconds(50)

  /// A task that has not ended. It may hold objects in its suspended functions.
  package struct Task: Sendable {
    let address: UInt
    /// The task's name in paths.
    let name: String
    /// Names the task's functions; called during the search, and only if a path begins in the task.
    let place: @Sendable () -> String

    package init(address: UInt, name: String, place: @escaping @Sendable () -> String) {
      self.address = address
      self.name = name
      self.place = place
    }
  }

  /// The holder of the object, as far as the search can tell.
  package enum Holder: Equatable, Sendable {
    /// The object is part of a retain cycle. `isGuess`: a step of it may be no reference.
    case itself(path: String, isGuess: Bool)
    /// A task of the test that has not ended.
    case task(path: String, place: String)
    /// The test case, which lives as long as the process.
    case testCase(path: String)
    /// A static property or a global variable.
    case program(path: String)
    /// An object that the whole program shares, such as the notification center.
    case shared(path: String)
    /// Other objects, which are in a retain cycle.
    case others(path: String, cycle: String)
    /// No visible holder, or holders that no root reaches.
    case elsewhere(path: String?, references: Int, searched: [String])
    /// The search does not support this system, or this runtime: `missing` says what does not hold.
    case unknown(missing: String?)
  }

  private let tasks: [Task]
  private let areTasksAtRest: Bool
  private let testCase: UInt?
  private let variableName: @Sendable (_ address: UInt) -> String

  /// - Parameters:
  ///   - tasks: The unfinished tasks in which paths may begin.
  ///   - areTasksAtRest: Whether none of these tasks will run again.
  ///   - testCase: An object that lives as long as the process.
  ///   - variableName: The program's name for the variable at an address.
  package init(
    tasks: [Task], areTasksAtRest: Bool, testCase: UInt?,
    variableName: @escaping @Sendable (_ address: UInt) -> String
  ) {
    self.tasks = tasks
    self.areTasksAtRest = areTasksAtRest
    self.testCase = testCase
    self.variableName = variableName
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
    /// The first fact that searches rely on and that does not hold, as the end of a sentence; nil if all hold.
    package static var obstacle: String? { HeapProbe.obstacle }

    /// Whether no code can release the object any more, so waiting is useless. `watched` are the
    /// objects to which the calling check has one weak or unowned reference each.
    package func isHeldForGood(_ object: UInt, watched: [UInt]) -> Bool {
      guard HeapProbe.allHold else { return false }
      let isHeld = HeapWalk.run { walk in
        if areTasksAtRest,
          case .path = walk.find(object, from: taskRoots, sleepless_conservative_through_hubs)
        {
          return true
        }
        guard let testCase else { return false }
        if case .path = walk.find(object, from: [root(testCase)]) { return true }
        return false
      }
      // The copies could miss a reference that another thread moves meanwhile, but not twice.
      return isHeld
        || (0..<2).allSatisfy { _ in
          HeapWalk.run { $0.isClosed(around: object, watched: watched) }
        }
    }

    package func holder(of object: UInt) -> Holder {
      guard HeapProbe.allHold else { return .unknown(missing: HeapProbe.obstacle) }
      return HeapWalk.run { walk in
        var searched: [String] = []
        func path(_ finding: HeapWalk.Finding, _ what: String) -> [sleepless_step]? {
          switch finding {
          case .path(let steps): return steps
          case .nothing(let objects): searched.append("\(what) (\(count(objects)))")
          case .gaveUp(let objects):
            searched.append(
              "\(what) (given up after \(HeapWalk.budget.shortDescription), \(count(objects)))")
          }
          return nil
        }
        if !tasks.isEmpty {
          let what = tasks.count == 1 ? "1 unfinished task" : "\(tasks.count) unfinished tasks"
          let finding = walk.find(object, from: taskRoots, sleepless_conservative_through_hubs)
          if let steps = path(finding, what) {
            let task = tasks.first { $0.address == steps[0].holder } ?? tasks[0]
            return .task(
              path: PathText.text(of: steps, to: object, root: task.name), place: task.place())
          }
        }
        if let steps = path(walk.cycle(through: object), "the object itself") {
          return .itself(path: PathText.text(of: steps, to: object), isGuess: false)
        }
        if let testCase,
          let steps = path(walk.find(object, from: [root(testCase)]), "the test case's properties")
        {
          return .testCase(path: PathText.text(of: steps, to: object))
        }
        let data = walk.find(object, from: HeapWalk.dataSegments)
        if let steps = path(data, "static properties and global variables") {
          return .program(
            path: PathText.text(
              of: steps, to: object, root: variableName(steps[0].holder + UInt(steps[0].offset))))
        }
        // The steps of the following searches are not all certain.
        for shared in SharedObject.all {
          let finding = walk.find(object, from: [root(shared.address)], sleepless_conservative)
          if let steps = path(finding, shared.name) {
            return .shared(path: PathText.text(of: steps, to: object, root: shared.name))
          }
        }
        if case .path(let steps) = walk.cycle(through: object, sleepless_conservative_through_hubs)
        {
          return .itself(path: PathText.text(of: steps, to: object), isGuess: true)
        }
        let holders = BackwardSearch(of: object, in: walk)
        searched.append(holders.gaveUp ? "all memory (given up)" : "all memory")
        let references = Int(sleepless_strong_count(object))
        switch holders.finding {
        case .cycle(let steps, let cycle):
          return .others(
            path: PathText.text(of: steps, to: object),
            cycle: PathText.text(of: cycle, to: cycle[0].holder))
        case .end(let steps):
          return .elsewhere(
            path: PathText.text(of: steps, to: object), references: references, searched: searched)
        case .noHolder: break
        }
        return .elsewhere(path: nil, references: references, searched: searched)
      }
    }

    /// The ones of `objects` that are in a retain cycle with an object that holds itself.
    package func cycle(_ holder: Holder, through object: UInt, among objects: [UInt]) -> Set<UInt> {
      guard case .itself(_, let isGuess) = holder, !objects.isEmpty else { return [] }
      return HeapWalk.run {
        $0.objects(
          inCycleWith: object, among: objects,
          isGuess ? sleepless_conservative_through_hubs : sleepless_precise)
      }
    }

    private func root(_ address: UInt) -> sleepless_root {
      sleepless_root(address: address, size: 0)
    }

    private var taskRoots: [sleepless_root] { tasks.map { root($0.address) } }

    private func count(_ objects: Int) -> String {
      objects == 1 ? "1 object" : "\(objects) objects"
    }
  #else
    package static var obstacle: String? { nil }
    package func isHeldForGood(_ object: UInt, watched: [UInt]) -> Bool { false }
    package func holder(of object: UInt) -> Holder { .unknown(missing: nil) }
    package func cycle(_ holder: Holder, through object: UInt, among objects: [UInt]) -> Set<UInt> {
      []
    }
  #endif
}
