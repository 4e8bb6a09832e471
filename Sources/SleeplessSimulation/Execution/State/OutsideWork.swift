import VirtualTime

/// The work outside a simulation: work that its tasks wait for, and other threads that run its tasks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct OutsideWork {
  /// How many calls of `Simulation.outside` have not returned.
  private(set) var calls = 0
  /// The tasks that wait for an event that only code outside can cause; see `Simulation.waitForOutside`.
  private var waitingTasks: Set<TaskPointer> = []
  private(set) var resumptions = ExternalResumptions()
  /// The first hundred works that the simulation's code has begun outside. A call of Foundation's begins several.
  private(set) var begun: [BegunOutside] = []
  /// How many more milliseconds the simulation waits for tasks that run on other threads. After that
  /// it goes on without them.
  private(set) var millisecondsLeft: Int

  init(millisecondsLeft: Int) { self.millisecondsLeft = millisecondsLeft }

  mutating func beginCall() { calls += 1 }

  /// Notes work that begins outside.
  mutating func begin(_ work: BegunOutside) {
    if calls == 0, begun.count < 100 { begun.append(work) }
  }

  mutating func endCall() { calls -= 1 }

  mutating func beginWait(of task: TaskPointer) { waitingTasks.insert(task) }

  mutating func endWait(of task: TaskPointer) { waitingTasks.remove(task) }

  var isAnyTaskWaiting: Bool { !waitingTasks.isEmpty }

  mutating func useMillisecond() { millisecondsLeft -= 1 }

  /// Whether a resumption of the task from outside counts as unexpected.
  func isUnexpectedResumption(of task: TaskPointer) -> Bool {
    calls == 0 && !waitingTasks.contains(task)
  }

  mutating func addResumption(of task: Suspension?, at now: Instant) {
    resumptions.add(task, at: now)
  }
}

/// Work that code of a simulation has begun and that the simulation does not control.
package struct BegunOutside: Sendable {
  package enum Kind: Sendable {
    case source, dataSource, channel, timer, network, thread, process, signalHandler, systemTimer
    /// A block on a queue that simulations do not follow.
    case block(queueName: String)
  }

  package let kind: Kind
  /// The virtual time; nil for signal handlers and timers of the system.
  package let time: Duration?
  /// The calls of the job that began it, innermost first, as addresses of code. For signal handlers and timers of the
  /// system, the innermost of them.
  let stack: [UInt]

  /// The functions of the program among these calls.
  package var codeFrames: [CodeFrame] { CodeFrame.ofUser(at: stack) }
}

/// How often code outside the simulation resumed a task, and which tasks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct ExternalResumptions {
  private(set) var count = 0
  /// The first ten whose tasks are known.
  private(set) var known: [(task: Suspension, time: Instant)] = []

  var wantsTasks: Bool { known.count < 10 }

  var reports: [Simulation.ExternalResumption] {
    known.map { Simulation.ExternalResumption(task: $0.task.report, time: $0.time.duration) }
  }

  fileprivate mutating func add(_ task: Suspension?, at now: Instant) {
    count += 1
    if let task { known.append((task, now)) }
  }
}
