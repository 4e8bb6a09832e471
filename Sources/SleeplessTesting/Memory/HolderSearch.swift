import CSleepless
import Sleepless
import SleeplessSimulation

/// Finds out what keeps an object alive.
struct HolderSearch {
  /// Who does, as far as one can tell.
  enum Holder: Equatable, Sendable {
    /// It holds itself, by way of others.
    case itself(path: String)
    /// A task of the test that has not ended.
    case task(path: String, place: String)
    /// The test case, which lives as long as the process.
    case testCase(path: String)
    /// A static property or a global variable.
    case program(path: String)
    /// Somebody who can be reached from the program's data, in part by guessing.
    case reachable(path: String)
    /// Nobody that can be seen.
    case elsewhere(references: Int, searched: [String])
    /// Paths cannot be told on this system.
    case unknown
  }

  #if os(Linux) && _pointerBitWidth(_64)
    private let tasks: [UnfinishedTask]
    private let isSimulated: Bool
    private let testCase = XCTestProgress.shared.running?.address

    init() {
      isSimulated = Simulation.current != nil
      let all = Simulation.current?.tasksInMemory ?? TestWork.ofCurrentTest?.tasksInMemory ?? []
      // The test's own may be one of them. It has all of the test on its stack.
      let current = UInt(bitPattern: sleepless_current_task())
      tasks = all.filter { $0.address != current }
    }

    /// Whether nobody is left who could let go of the object, so that waiting is of no use.
    func isHeldForGood(_ object: UInt) -> Bool {
      HeapWalk.run { walk in
        // In a simulation nothing can run any more when this is asked.
        if isSimulated, case .path = walk.find(object, from: taskRoots, loosely: true) {
          return true
        }
        if let testCase, case .path = walk.find(object, from: [root(testCase)]) { return true }
        return walk.isClosed(around: object)
      }
    }

    func holder(of object: UInt) -> Holder {
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
          if let steps = path(walk.find(object, from: taskRoots, loosely: true), what) {
            let task = tasks.first { $0.address == steps[0].holder } ?? tasks[0]
            return .task(
              path: PathText.text(of: steps, to: object, root: task.words), place: task.place)
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
        for loosely in [false, true] {
          if loosely, case .path(let steps) = walk.cycle(through: object, loosely: true) {
            return .itself(path: PathText.text(of: steps, to: object))
          }
          let finding = walk.find(object, from: HeapWalk.dataSegments, loosely: loosely)
          if !loosely, case .path(let steps) = finding {
            return .program(
              path: PathText.text(of: steps, to: object, root: variable(of: steps[0])))
          }
          if loosely,
            let steps = path(finding, "static properties, global variables and what libraries hold")
          {
            return .reachable(
              path: PathText.text(of: steps, to: object, root: variable(of: steps[0])))
          }
        }
        return .elsewhere(
          references: Int(sleepless_strong_count(object)), searched: searched)
      }
    }

    private func root(_ address: UInt) -> sleepless_root {
      sleepless_root(address: address, size: 0)
    }

    private var taskRoots: [sleepless_root] { tasks.map { root($0.address) } }

    private func count(_ objects: Int) -> String {
      objects == 1 ? "1 object" : "\(objects) objects"
    }

    private func variable(of step: sleepless_step) -> String {
      let address = step.holder + UInt(step.offset)
      return VariableNames.name(at: address)
        ?? VariableNames.image(at: address).map { "data of \($0)" } ?? "the program's data"
    }
  #else
    init() {}

    func isHeldForGood(_ object: UInt) -> Bool { false }
    func holder(of object: UInt) -> Holder { .unknown }
  #endif
}

#if os(Linux) && _pointerBitWidth(_64)
  extension UnfinishedTask {
    fileprivate var words: String {
      name.map { "task \(number + 1) \"\($0)\"" } ?? "task \(number + 1)"
    }

    /// Where it is.
    fileprivate var place: String {
      let functions = functions
      return functions.isEmpty ? words : "\(words), in \(functions.joined(separator: " ← "))"
    }
  }
#endif
