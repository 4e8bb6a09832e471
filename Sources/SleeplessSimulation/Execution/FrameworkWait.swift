import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless
import VirtualTime

/// A wait of the test framework that takes virtual time.
///
/// The framework's own code waits, decides and reports. Four of its calls are answered here instead of by
/// Foundation and Dispatch: it reads the time, which stands still; it sets a timer, which is due in virtual
/// time; it runs the run loop of its thread, which returns when the wait is decided; and it stops that run
/// loop, which decides the wait.
///
/// A wait of a synchronous test runs on the main thread, and drives the simulation there. A synchronous wait in a job
/// blocks the job's thread, as a wait for a semaphore does. An asynchronous wait runs on a thread that the framework
/// starts. That thread and the simulation never run at the same time: one waits for the other.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class FrameworkWait: VirtualWait, @unchecked Sendable {
  // Unchecked: `isPatient` is used under the lock of the simulation's state; `knowledge` and `token` are set before
  // other threads know of the wait; `isBeginning` is used by the wait's own thread, or by `deinit`.

  private enum Place {
    case thread(WaitThread)
    case mainThread(HostedDriver)
    case job
  }

  let executor: SimulationExecutor
  /// How long the wait lasts if nothing decides it.
  private let timeout: Duration
  /// Whether code outside gets real time before time moves to the end of the wait.
  var isPatient = true
  private let place: Place
  private let timer: DispatchWorkItem
  private let queue: DispatchQueue
  private var knowledge: WaitingFramework.Knowledge?
  private var token: WorkToken?
  private let hasBeenDecided = Locked(false)
  private let isOver = Locked(false)
  /// Whether the timer is set but the run loop does not run yet.
  private var isBeginning = true

  /// A wait that this thread begins; nil if it takes real time.
  init?(timer: DispatchWorkItem, on queue: DispatchQueue, after timeout: Duration) {
    if let thread = WaitThread.current {
      executor = thread.executor
      place = .thread(thread)
    } else if let host = Self.hostHere {
      executor = host.executor
      place = .mainThread(host.driver)
    } else if let executor = Self.executorOfJobHere {
      self.executor = executor
      place = .job
    } else {
      return nil
    }
    self.timer = timer
    self.queue = queue
    self.timeout = timeout
    let runLoop = ObjectIdentifier(RunLoop.current)
    Self.running.withLock { $0.noteWait(on: UInt(bitPattern: runLoop)) }
  }

  deinit {
    if isBeginning { Self.running.withLock { $0.endBeginning() } }
  }

  /// Whether a wait of this thread would take virtual time.
  static var isVirtualHere: Bool {
    WaitThread.current != nil || hostHere != nil || executorOfJobHere != nil
  }

  /// The driver of the simulation that a synchronous test hosts on this thread. The framework's own waits
  /// for the tasks of asynchronous tests are not meant.
  private static var hostHere: (executor: SimulationExecutor, driver: HostedDriver)? {
    guard Thread.isMainThread, TaskPointer.current == nil,
      let executor = SimulationExecutor.running,
      let driver = executor.host, driver.mayWait, WaitingFramework.isUsable
    else { return nil }
    return (executor, driver)
  }

  /// The simulation whose job runs on this thread, if the job may be blocked.
  private static var executorOfJobHere: SimulationExecutor? {
    guard let executor = SimulationExecutor.running, executor.capture.isWholeProcess,
      WaitingFramework.isUsable, executor.taskToBlock != nil
    else { return nil }
    return executor
  }

  /// The waits whose timers are set, by the addresses of their run loops.
  private struct Running {
    /// How many waits have a timer but do not run their run loop yet.
    private var waitsToBegin = 0
    private var waits: [UInt: FrameworkWait] = [:]
    /// The run loops that were stopped meanwhile.
    private var stopped: Set<UInt> = []

    /// Notes a wait that will run this run loop. A stop that was noted before was meant for an earlier wait.
    mutating func noteWait(on runLoop: UInt) {
      waitsToBegin += 1
      stopped.remove(runLoop)
    }

    /// Adds a wait that runs its run loop now; true if it has been decided already.
    mutating func begin(_ wait: FrameworkWait, on runLoop: UInt) -> Bool {
      defer { endBeginning() }
      if stopped.remove(runLoop) != nil { return true }
      waits[runLoop] = wait
      return false
    }

    mutating func endBeginning() {
      waitsToBegin -= 1
      if waitsToBegin == 0 { stopped = [] }
    }

    /// Takes the wait of a run loop that is stopped.
    mutating func stop(_ runLoop: UInt) -> FrameworkWait? {
      if let wait = waits.removeValue(forKey: runLoop) { return wait }
      if waitsToBegin > 0 { stopped.insert(runLoop) }
      return nil
    }
  }

  private static let running = Locked(Running())

  // MARK: From the beginning to the end

  /// Waits until the wait is decided.
  func run(on runLoop: UInt) {
    knowledge = WaitingFramework.shared?.examine()
    let end = executor.timeline.now.advanced(by: timeout)
    if !isOfJob {
      token = executor.queue.schedule(
        .function { self.endByTimer() }, after: timeout, label: "wait for expectations",
        at: CallSite())
    }
    executor.state.withLock { $0.waits.add(self) }
    // Last: from now on another thread may decide the wait. It may have done so before.
    let isDecided = Self.running.withLock { $0.begin(self, on: runLoop) }
    isBeginning = false
    if isDecided { decide() }
    switch place {
    case .thread(let thread): thread.suspend()
    case .mainThread(let driver): driver.drive(until: self, whichEndsBy: end)
    case .job:
      _ = executor.block(until: awaited, atMost: timeout)
      // It has timed out, or the simulation can block the thread no more.
      if !hasBeenDecided.withLock({ $0 }) { endByTimer() }
    }
  }

  private var isOfJob: Bool { if case .job = place { true } else { false } }

  /// What the thread of a job waits for.
  private var awaited: SimulationExecutor.Awaited {
    SimulationExecutor.Awaited(
      address: address, name: Self.awaitedName, isGroup: false, take: { [self] in hasEnded })
  }

  private var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// What lists of tasks show that a task waits for.
  static let awaitedName = "expectations"

  /// Lets the framework decide the wait as if its timeout had passed. It is no failure if the simulation ends:
  /// then the simulation's own failure says what is left.
  func endByTimer() {
    let isRunning = executor.state.withLock { state in
      if case .running = state.phase { true } else { false }
    }
    if !isRunning { knowledge?.silence() }
    // The queue is the framework's.
    outsideSimulations { queue.sync(execute: timer) }
  }

  /// Notes that the framework stops a run loop, because it has decided a wait; false if no wait in virtual
  /// time runs it. Any thread may call it, and must not be kept: it holds a queue of the framework.
  static func decide(on runLoop: UInt) -> Bool {
    guard let wait = running.withLock({ $0.stop(runLoop) }) else { return false }
    wait.decide()
    return true
  }

  private func decide() {
    hasBeenDecided.withLock { $0 = true }
    token?.cancel()
    let (isClosed, driver) = executor.state.withLock { state in
      switch state.phase {
      case .running, .ending:
        state.waits.decide(self)
        return (false, state.driver.takeContinuation())
      case .closed, .dead: return (true, nil)
      }
    }
    // No driver is left that could end the wait.
    if isClosed { return end(waits: false) }
    driver?.resume()
    executor.host?.wake()
  }

  /// Lets the wait return, and its caller go on to its next suspension.
  func end() { end(waits: true) }

  private func end(waits: Bool) {
    isOver.withLock { $0 = true }
    switch place {
    case .thread(let thread): thread.resume(waits: waits)
    case .mainThread: break
    case .job: SimulationExecutor.letGoOn(waitingFor: address, sleepless_change_signal)
    }
  }

  var hasEnded: Bool { isOver.withLock { $0 } }

  /// Evaluates the wait's conditions, when nothing can run.
  func evaluate() {
    let wouldPass = knowledge?.evaluate() ?? false
    executor.state.withLock { _ in isPatient = !wouldPass }
  }
}

/// The thread of an asynchronous wait. It runs only while the simulation waits for it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class WaitThread: Sendable {
  private final class Slot: Sendable {
    let thread = Locked<WaitThread?>(nil)
  }

  let executor: SimulationExecutor
  private let mayRun = ThreadSignal()
  private let isSuspended = ThreadSignal()

  private init(_ executor: SimulationExecutor) { self.executor = executor }

  private static let slot = ThreadLocal { Slot() }

  static var current: WaitThread? { slot.value.thread.withLock { $0 } }

  /// Runs the function of a thread that the framework would start, until it waits or ends; false if the
  /// calling code belongs to no simulation.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard TaskPointer.current != nil, let executor = SimulationExecutor.running,
      executor.capture.isWholeProcess, WaitingFramework.isUsable
    else { return false }
    Simulation(executor: executor).note(waitingFor: FrameworkWait.awaitedName)
    let thread = WaitThread(executor)
    outsideSimulations {
      Thread.detachNewThread {
        slot.value.thread.withLock { $0 = thread }
        _ = sleepless_enter(executor.context)
        body()
        sleepless_end_wait()
        _ = sleepless_enter(nil)
        slot.value.thread.withLock { $0 = nil }
        thread.isSuspended.send()
      }
    }
    thread.isSuspended.wait()
    return true
  }

  /// Lets the simulation go on, and waits until it lets this thread go on.
  func suspend() {
    isSuspended.send()
    mayRun.wait()
  }

  /// Lets the thread go on, until it waits again or ends.
  func resume(waits: Bool) {
    mayRun.send()
    if waits { isSuspended.wait() }
  }
}
