import CRuntimeHooks
import RetainGraph
import SleeplessSimulation

extension RetainPathSearch {
  /// Searches in the calling test. A search may take seconds; in a simulation that is no hang of the job.
  static func inThisTest<Result>(_ search: (RetainPathSearch) -> Result) -> Result {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current
    else { return search(RetainPathSearch()) }
    return simulation.unwatched { search(RetainPathSearch()) }
  }

  /// A search in the calling test: through its unfinished tasks and, in XCTest, its test case.
  private init() {
    self.init(
      tasks: Self.tasks, areTasksAtRest: Self.isSimulated,
      testCase: XCTestProgress.shared.running?.address
    ) { address in
      VariableNames.name(at: address)
        ?? VariableNames.image(at: address).map { "data of \($0)" } ?? "the program's data"
    }
  }

  /// In a simulation no task can run any more when the search begins.
  private static var isSimulated: Bool {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return false }
    return Simulation.current != nil
  }

  private static var tasks: [Task] {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return [] }
    let all = Simulation.current?.tasksInMemory ?? TestTasks.ofCurrentTest?.tasksInMemory ?? []
    // Without the current task, the test's own: it has all variables of the test on its stack.
    let current = UInt(bitPattern: sleepless_current_task())
    return all.filter { $0.address != current }.map(Task.init)
  }
}

extension RetainPathSearch.Task {
  fileprivate init(_ task: UnfinishedTask) {
    let name = task.name.map { "task \(task.number + 1) \"\($0)\"" } ?? "task \(task.number + 1)"
    self.init(address: task.address, name: name) {
      let frames = task.frames(readingWith: readCopiedMemory)
      return frames.isEmpty ? name : "\(name), in \(frames.path)"
    }
  }
}
