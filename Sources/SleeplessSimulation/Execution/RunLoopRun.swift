import CRuntimeHooks
import Sleepless

/// One run of a run loop by code of a simulation, and what has ended it.
///
/// A stop ends the innermost run of its run loop, unless only its limit may end that. Code of a simulation stops only
/// its own simulation's runs of the main run loop.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class RunLoopRun: Sendable {
  private struct State {
    var isStopped = false
    /// Whether it got a block or a timer since it has looked for them.
    var isWoken = false
    /// The thread that it blocks now.
    var thread: BlockedThread?
  }

  let isMain: Bool
  let purpose: sleepless_run_loop_purpose
  /// How long it lasts at most, from its beginning.
  let timeout: Duration?
  /// Not the address, so that searches of memory do not find the run loop.
  private let key: UInt
  private let executor: SimulationExecutor
  private let sourcesBefore: Int
  private let state = Locked(State())

  init(
    of runLoop: UInt, isMain: Bool, _ purpose: sleepless_run_loop_purpose,
    atMost timeout: Duration?, in executor: SimulationExecutor
  ) {
    key = ~runLoop
    self.isMain = isMain
    self.purpose = purpose
    self.timeout = timeout
    self.executor = executor
    sourcesBefore = executor.mainRunLoopSources
  }

  var runLoop: UInt { ~key }

  /// What the code waits for, as lists of tasks show it.
  var name: String {
    let runLoop = isMain ? "the main run loop" : "its thread's run loop"
    guard timeout == nil else { return runLoop }
    return switch purpose {
    case sleepless_runs_until_stopped: "a stop of \(runLoop)"
    case sleepless_runs_until_handled: "work for \(runLoop)"
    default: runLoop
    }
  }

  /// Whether it has handled a source after which it returns.
  private var hasHandled: Bool {
    purpose == sleepless_runs_until_handled && isMain
      && executor.mainRunLoopSources != sourcesBefore
  }

  private var isStopped: Bool {
    purpose != sleepless_runs_to_limit && state.withLock { $0.isStopped }
  }

  /// Whether it has to return before its time.
  var isOver: Bool { hasHandled || isStopped }

  /// How it ends now.
  var result: sleepless_run_loop_result {
    if hasHandled { return sleepless_run_loop_has_handled_source }
    return isStopped ? sleepless_run_loop_is_stopped : sleepless_run_loop_has_timed_out
  }

  // MARK: The thread

  /// It looks for blocks and timers now.
  func beginRound() { state.withLock { $0.isWoken = false } }

  func setThread(_ thread: BlockedThread?) {
    let isWoken = state.withLock { state in
      state.thread = thread
      return state.isWoken
    }
    // What lets it go on may have come before the thread was known.
    if isWoken || isOver { thread?.goOn() }
  }

  // MARK: The runs of all simulations

  /// In the order in which they began. Those of one run loop and one simulation are nested.
  private static let all = Locked<[RunLoopRun]>([])

  func begin() { Self.all.withLock { $0.append(self) } }

  func end() { Self.all.withLock { $0.removeAll { $0 === self } } }

  /// Stops the innermost run of a run loop; see `sleepless_run_loop_hooks`.
  static func stop(_ runLoop: UInt, isMain: Bool, by executor: SimulationExecutor?) -> Bool {
    let runs = all.withLock { $0.filter { $0.runLoop == runLoop } }
    let run: RunLoopRun?
    if !isMain {
      run = runs.last
    } else if let executor {
      run = runs.last { $0.isPartOfTest(of: executor) }
    } else if let first = runs.first, runs.allSatisfy({ $0.isPartOfTest(of: first.executor) }) {
      run = runs.last
    } else {
      // Code outside does not say which simulation it means.
      run = nil
    }
    guard let run else { return false }
    let thread = run.state.withLock { state in
      state.isStopped = true
      return state.thread
    }
    if run.isOver { thread?.goOn() }
    // Code outside may mean a real run.
    return executor != nil
  }

  /// Lets a run of a run loop other than the main one look for blocks and timers.
  static func wake(_ runLoop: UInt, of executor: SimulationExecutor) {
    let run = all.withLock { $0.last { $0.runLoop == runLoop && $0.executor === executor } }
    let thread = run?.state.withLock { state in
      state.isWoken = true
      return state.thread
    }
    thread?.goOn()
  }

  /// Whether it is a run in that simulation, or in an earlier one of the same test.
  private func isPartOfTest(of other: SimulationExecutor) -> Bool {
    executor === other || executor.host != nil && executor.host === other.host
  }
}
