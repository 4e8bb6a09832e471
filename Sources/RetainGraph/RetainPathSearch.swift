import CHeapWalk
import Sleepless

/// Finds out what keeps an object alive.
///
/// It knows neither tests nor simulations: whoever makes it says where a path may begin.
package struct RetainPathSearch {
  /// How long each of its searches may take, in the time that the thread works; shorter in tests of
  /// what happens when it is over.
  @TaskLocal package static var budget: Duration = .milliseconds(50)

  /// A task that has not ended, and may hold what it waits with.
  package struct Task: Sendable {
    let address: UInt
    /// How paths call it.
    let name: String
    /// In which functions it is, in words; asked during the search, and only if a path begins there.
    let place: @Sendable () -> String

    package init(address: UInt, name: String, place: @escaping @Sendable () -> String) {
      self.address = address
      self.name = name
      self.place = place
    }
  }

  /// Who does, as far as one can tell.
  package enum Holder: Equatable, Sendable {
    /// It holds itself, by way of others.
    case itself(path: String)
    /// A task of the test that has not ended.
    case task(path: String, place: String)
    /// The test case, which lives as long as the process.
    case testCase(path: String)
    /// A static property or a global variable.
    case program(path: String)
    /// An object that everybody shares, such as the notification center.
    case shared(path: String)
    /// Others who hold each other.
    case others(path: String, cycle: String)
    /// Nobody that can be seen; or somebody can, but not who holds that.
    case elsewhere(path: String?, references: Int, searched: [String])
    /// Paths cannot be told on this system.
    case unknown
  }

  private let tasks: [Task]
  private let areTasksAtRest: Bool
  private let testCase: UInt?
  private let variableName: @Sendable (_ address: UInt) -> String

  /// - Parameters:
  ///   - tasks: The unfinished tasks in which paths may begin.
  ///   - areTasksAtRest: Whether none of them will run any more.
  ///   - testCase: An object that lives as long as the process.
  ///   - variableName: What the program calls the variable at an address.
  package init(
    tasks: [Task], areTasksAtRest: Bool, testCase: UInt?,
    variableName: @escaping @Sendable (_ address: UInt) -> String
  ) {
    self.tasks = tasks
    self.areTasksAtRest = areTasksAtRest
    self.testCase = testCase
    self.variableName = variableName
  }

  #if os(Linux) && _pointerBitWidth(_64)
    /// Whether nobody is left who could let go of the object, so that waiting is of no use. `watched`
    /// are the objects whose memory the asking check holds.
    package func isHeldForGood(_ object: UInt, watched: [UInt]) -> Bool {
      let isHeld = HeapWalk.run { walk in
        if areTasksAtRest,
          case .path = walk.find(object, from: taskRoots, sleepless_guesses_through_hubs)
        {
          return true
        }
        guard let testCase else { return false }
        if case .path = walk.find(object, from: [root(testCase)]) { return true }
        return false
      }
      // A thread that moves a reference from one place to another while it is copied could be
      // overlooked, but not twice.
      return isHeld
        || (0..<2).allSatisfy { _ in
          HeapWalk.run { $0.isClosed(around: object, watched: watched) }
        }
    }

    package func holder(of object: UInt) -> Holder {
      HeapWalk.run { walk in
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
          let finding = walk.find(object, from: taskRoots, sleepless_guesses_through_hubs)
          if let steps = path(finding, what) {
            let task = tasks.first { $0.address == steps[0].holder } ?? tasks[0]
            return .task(
              path: PathText.text(of: steps, to: object, root: task.name), place: task.place())
          }
        }
        if let steps = path(walk.cycle(through: object), "the object itself") {
          return .itself(path: PathText.text(of: steps, to: object))
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
        // From here on not every step is certain.
        for shared in SharedObject.all {
          let finding = walk.find(object, from: [root(shared.address)], sleepless_guesses)
          if let steps = path(finding, shared.name) {
            return .shared(path: PathText.text(of: steps, to: object, root: shared.name))
          }
        }
        if case .path(let steps) = walk.cycle(through: object, sleepless_guesses_through_hubs) {
          return .itself(path: PathText.text(of: steps, to: object))
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
        case .nobody: break
        }
        return .elsewhere(path: nil, references: references, searched: searched)
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
    package func isHeldForGood(_ object: UInt, watched: [UInt]) -> Bool { false }
    package func holder(of object: UInt) -> Holder { .unknown }
  #endif
}
