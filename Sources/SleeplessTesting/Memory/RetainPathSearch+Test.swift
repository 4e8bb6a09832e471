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
      tasks: Self.unfinishedTasks.map(Task.init), areTasksAtRest: Self.isSimulated,
      testCase: XCTestProgress.shared.running?.address
    ) { address in
      if let name = VariableNames.name(at: address) { return Variable(name: name, isOfSwift: true) }
      let image = VariableNames.image(at: address)
      return Variable(
        name: image.map { "data of \($0)" } ?? "the program's data", isOfSwift: false)
    }
  }

  /// In a simulation no task can run any more when the search begins.
  private static var isSimulated: Bool {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return false }
    return Simulation.current != nil
  }

  /// The unfinished tasks of the calling test, without the calling one: that is the test's own, and has all variables
  /// of the test on its stack.
  static var unfinishedTasks: [UnfinishedTask] {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return [] }
    let all = Simulation.current?.tasksInMemory ?? TestTasks.ofCurrentTest?.tasksInMemory ?? []
    let current = UInt(bitPattern: sleepless_current_task())
    return all.filter { $0.address != current }
  }
}

extension RetainPathSearch.Task {
  fileprivate init(_ task: UnfinishedTask) {
    self.init(address: task.address, name: task.title) { task.place(readingWith: readCopiedMemory) }
  }
}

extension UnfinishedTask {
  /// The number and, if it has one, the name.
  fileprivate var title: String {
    name.map { "task \(number + 1) \"\($0)\"" } ?? "task \(number + 1)"
  }

  /// The same, with the functions that it is suspended in.
  func place(readingWith read: @escaping MemoryReader) -> String {
    let frames = frames(readingWith: read)
    return frames.isEmpty ? title : "\(title), in \(frames.path)"
  }
}
