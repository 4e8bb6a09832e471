import CRuntimeHooks
import Sleepless
import VirtualTime

/// Calls of the program that block their thread: sleeps, and waits for semaphores and groups. In a simulation they
/// take virtual time, and other tasks run meanwhile.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// An object that a thread waits for.
  struct Awaited {
    let address: UInt
    /// What it is, as lists of tasks show it.
    let name: String
    /// Whether all threads may go on once the object was ready.
    let isGroup: Bool
    /// Takes what the object has to give; false if it has nothing.
    let take: () -> Bool
  }

  /// The threads that wait for objects, in all simulations, by the key of the object's address.
  private static let waiting = Locked<[UInt: [BlockedThread]]>([:])

  /// Makes the program's calls come here; false if they cannot be replaced.
  static func installBlockingHooks() -> Bool {
    sleepless_install_blocking_hooks(
      sleepless_blocking_hooks(
        sleeps: { owner, seconds, nanoseconds in
          SimulationExecutor.executor(owner!).sleep(
            for: .seconds(seconds) + .nanoseconds(nanoseconds))
        },
        waits: { owner, object, kind, nanoseconds, take in
          let awaited = Awaited(
            address: UInt(bitPattern: object), name: kind.name,
            isGroup: kind != sleepless_awaited_semaphore
          ) {
            take!(object, 0) == 0
          }
          let timeout = nanoseconds < 0 ? nil : Duration.nanoseconds(nanoseconds)
          return SimulationExecutor.executor(owner!).block(until: awaited, atMost: timeout)
        },
        lets_others_run_first: { SimulationExecutor.executor($0!).letOthersRunFirst() },
        lets_go_on: { object, change in
          SimulationExecutor.letGoOn(waitingFor: UInt(bitPattern: object), change)
        },
        retains_awaited: { object, retain in
          let address = UInt(bitPattern: object)
          if HostedDriver.retainAwaited(address, { retain!(object) }) { return true }
          let isAwaited = SimulationExecutor.waiting.withLock { waiting in
            if waiting[~address] != nil { retain!(object) }
            return waiting[~address] != nil
          }
          #if SLEEPLESS_CAPTURES_PROCESS
            return isAwaited || SimulationExecutor.isNotified(by: address) { retain!(object) }
          #else
            return isAwaited
          #endif
        },
        has_read: { owner, clock in
          SimulationExecutor.executor(owner!).state.withLock { $0.clocks.hasRead(clock) }
        },
        rounded: { Duration.simplest(atLeast: .nanoseconds($0)).clampedNanoseconds }))
  }

  /// Makes the program's waits for conditions come here; false if they cannot be replaced.
  static func installConditionHooks() -> Bool {
    sleepless_install_condition_hooks(
      sleepless_condition_hooks(
        waits: { owner, condition, nanoseconds, mutex in
          let timeout = nanoseconds < 0 ? nil : Duration.nanoseconds(nanoseconds)
          return SimulationExecutor.executor(owner!).block(
            untilSignalled: UInt(bitPattern: condition), atMost: timeout, unlocking: mutex)
        }))
  }

  static func executor(_ owner: UnsafeMutableRawPointer) -> SimulationExecutor {
    Unmanaged.fromOpaque(owner).takeUnretainedValue()
  }

  // MARK: Blocking

  /// Blocks this thread for a virtual duration; false if the simulation cannot block it.
  func sleep(for duration: Duration) -> Bool {
    if let host, host.isOnStackOfTest { return host.sleep(for: duration) }
    if state.withLock({ $0.blocked.wereTooMany }), taskToBlock != nil { return true }
    guard let thread = blockedThread(for: duration, because: nil) else { return false }
    // A sleep of zero lets other tasks run, as `Task.sleep` of zero does.
    if duration <= .zero { thread.isReady = true }
    return block(thread, for: duration)
  }

  /// Blocks this thread until it can take what it waits for.
  func block(until awaited: Awaited, atMost timeout: Duration?) -> sleepless_wait_result {
    if let host, host.isOnStackOfTest {
      return host.block(until: awaited, atMost: timeout)
    }
    let start = timeline.now.duration
    var hasWaited = false
    while true {
      let left = timeout.map { $0 - (timeline.now.duration - start) }
      if let left, left <= .zero { return sleepless_wait_timed_out }
      guard let thread = blockedThread(for: left, because: awaited.name) else {
        return sleepless_wait_is_real
      }
      // If another thread took the signal first, this thread stays first in the list.
      Self.add(thread, for: awaited, asFirst: hasWaited)
      hasWaited = true
      // The object may have changed before the thread was known to wait for it.
      if awaited.take() {
        // Another thread may have to go on in place of this one.
        if Self.remove(thread, for: awaited) {
          Self.letGoOn(
            waitingFor: awaited.address,
            awaited.isGroup ? sleepless_change_unknown : sleepless_change_signal)
        }
        return sleepless_wait_ended
      }
      let hasBlocked = block(thread, for: left)
      _ = Self.remove(thread, for: awaited)
      if thread.hasTaken { return sleepless_wait_ended }
      guard hasBlocked else { return sleepless_wait_is_real }
      // The group was empty; it may have been entered again since.
      if awaited.isGroup, thread.isMet { return sleepless_wait_ended }
      if awaited.take() { return sleepless_wait_ended }
    }
  }

  /// Blocks this thread until a condition is signalled. Its mutex is unlocked meanwhile.
  private func block(
    untilSignalled address: UInt, atMost timeout: Duration?, unlocking mutex: sleepless_mutex
  ) -> sleepless_wait_result {
    if let host, host.isOnStackOfTest {
      return host.wait(untilSignalled: address, atMost: timeout, unlocking: mutex)
    }
    guard let thread = blockedThread(for: timeout, because: "a condition") else {
      return sleepless_wait_is_real
    }
    // A condition has nothing to give: what counts is that it was signalled while this thread waited.
    let awaited = Awaited(address: address, name: "a condition", isGroup: true) { false }
    Self.add(thread, for: awaited, asFirst: false)
    mutex.unlock(mutex.address)
    let hasBlocked = block(thread, for: timeout)
    let isReady = Self.remove(thread, for: awaited)
    mutex.lock(mutex.address)
    // A wait for a condition may end without a signal.
    return hasBlocked && isReady && !thread.isMet
      ? sleepless_wait_timed_out : sleepless_wait_ended
  }

  /// A record for this thread; nil if the thread does not run the simulation's job.
  private func blockedThread(for duration: Duration?, because reason: String?) -> BlockedThread? {
    guard let task = taskToBlock else { return nil }
    let current = TaskPointer.current
    return BlockedThread(
      task, running: current == task ? nil : current, of: self, because: reason,
      until: duration.map { timeline.now.advanced(by: $0) }, stack: Self.jobStack)
  }

  /// The task whose job this thread runs, if the job may be blocked.
  var taskToBlock: TaskPointer? {
    guard sleepless_driving() == UnsafePointer(context),
      let task = TaskPointer.current
    else { return nil }
    return state.withLock { state in
      if state.canBlock(task) { return task }
      // The job may have called an executor of the program's, which runs a job of this task.
      guard let outer = sleepless_task_of_job().map({ TaskPointer($0) }), state.canBlock(outer)
      else { return nil }
      return outer
    }
  }

  /// The calls of this thread's job, innermost first, as addresses of code.
  static var jobStack: [UInt] {
    [UInt](unsafeUninitializedCapacity: 64) { frames, count in
      count = sleepless_job_stack(frames.baseAddress, frames.count)
    }
  }

  /// Gives the turn to another thread, and waits until this one has it again. Returns false at once if the simulation
  /// no longer counts this thread's job as the running one: it was given up as blocked, and the task has gone on
  /// within whose step it ran.
  private func block(_ thread: BlockedThread, for duration: Duration?) -> Bool {
    var token: WorkToken?
    if let duration, duration > .zero {
      token = queue.schedule(
        .function { thread.goOn() }, after: duration, label: thread.reason ?? "sleep",
        at: CallSite())
    }
    defer { token?.cancel() }
    if let host { return host.turns.whileJobBlocks(self) { waitForTurn(thread) } }
    return waitForTurn(thread)
  }

  private func waitForTurn(_ thread: BlockedThread) -> Bool {
    switch state.withLock({ $0.block(thread) }) {
    case .substitute?: startSubstitute()
    case .driver(let signal)?: signal.send()
    case .heldTask?: ThreadForJobsWithinSteps.noteBlocked()
    case nil: return false
    }
    thread.turn.wait()
    while let work = state.withLock({ $0.takeWork(of: thread) }) {
      work.end(drive(work, in: thread))
      work.hasEnded.send()
      thread.turn.wait()
    }
    return true
  }

  /// Runs jobs of the main actor on this thread, which runs the main run loop.
  private func drive(_ work: BlockedThread.MainActorWork, in thread: BlockedThread) -> StopReason {
    var first = work.first
    if host != nil, let job = first, let block = job.blockOnMain, runOnMainThread(job, in: block) {
      first = nil
    }
    return driveHere(from: first, on: .mainActor, in: thread)
  }

  /// Blocks this thread in a run of its run loop. Returns false if the simulation cannot block it.
  ///
  /// The thread of the main run loop is the main actor's, and runs the jobs of that meanwhile.
  func block(in run: RunLoopRun, for duration: Duration?) -> Bool {
    guard let thread = blockedThread(for: duration, because: run.name) else { return false }
    thread.runsMainActor = run.isMain
    thread.runLoopRun = run
    if let duration, duration <= .zero { thread.isReady = true }
    run.setThread(thread)
    defer { run.setThread(nil) }
    return block(thread, for: duration)
  }

  /// Runs jobs of the main actor on a thread that runs the main run loop; nil if there is none.
  func driveInRunLoop(from first: Job?) -> StopReason? {
    guard let (thread, work) = state.withLock({ $0.giveWork(from: first) }) else { return nil }
    thread.turn.send()
    work.hasEnded.wait()
    return work.reason
  }

  // MARK: Going on

  private static func add(_ thread: BlockedThread, for awaited: Awaited, asFirst: Bool) {
    waiting.withLock { waiting in
      thread.take = awaited.take
      let threads = waiting[~awaited.address] ?? []
      waiting[~awaited.address] = asFirst ? [thread] + threads : threads + [thread]
    }
    sleepless_count_waiters(1)
  }

  /// Returns whether the thread is ready to go on.
  private static func remove(_ thread: BlockedThread, for awaited: Awaited) -> Bool {
    sleepless_count_waiters(-1)
    waiting.withLock { waiting in
      waiting[~awaited.address]?.removeAll { $0 === thread }
      if waiting[~awaited.address]?.isEmpty == true { waiting[~awaited.address] = nil }
    }
    return thread.executor.state.withLock { _ in thread.isReady }
  }

  /// Lets those go on that wait for an object: one thread if it is a semaphore. Returns whether a thread goes on.
  @discardableResult
  static func letGoOn(waitingFor address: UInt, _ change: sleepless_change) -> Bool {
    // First, as Dispatch does: code after a wait may rely on it.
    #if SLEEPLESS_CAPTURES_PROCESS
      if change != sleepless_change_signal { submitNotifications(of: address) }
    #endif
    var isAny = change != sleepless_change_unknown && HostedDriver.noteSignal(of: address)
    // Copies the elements. An array that is shared with the list would be changed in place under the lock once it is
    // the list's alone again, and ThreadSanitizer does not see the count that says so.
    let threads = waiting.withLock { waiting in (waiting[~address] ?? []).map { $0 } }
    for thread in threads {
      guard thread.goOn(isMet: change != sleepless_change_unknown) else { continue }
      isAny = true
      if change == sleepless_change_signal { break }
    }
    return isAny
  }

  /// Lets the threads and blocks go on that can, although no call has told this simulation; false if there are none.
  ///
  /// A signal that was under way when this simulation began may have found none to tell; see
  /// `DirectCalls.c`. If it tells another thread later, that one looks and waits on.
  func tryWaitsAgain() -> Bool {
    guard sleepless_is_any_waiter() else { return false }
    // Under the lock: a thread keeps its object until it has left the list.
    let threads = Self.waiting.withLock { waiting in
      waiting.values.flatMap { threads in
        let own = threads.filter { $0.executor === self }
        guard !own.isEmpty else { return [BlockedThread]() }
        // A thread that is about to go on takes for itself.
        if state.withLock({ _ in own.contains(where: \.isReady) }) { return [BlockedThread]() }
        return Array(own.prefix { $0.takeInAdvance() })
      }
    }
    #if SLEEPLESS_CAPTURES_PROCESS
      // Before the threads go on, as in Dispatch. This waits until other threads have submitted their blocks.
      let hasSubmitted = submitOwnNotifications()
    #else
      let hasSubmitted = false
    #endif
    for thread in threads { thread.goOn(isMet: true, isFromOutside: true) }
    if hasSubmitted { return true }
    return !threads.isEmpty
  }

  /// Lets the thread of a task go on, and waits until the turn comes back. A substitute does not wait: it ends.
  func giveTurn(to task: TaskPointer) -> StopReason? {
    guard let (thread, signal) = state.withLock({ $0.giveTurn(to: task) }) else {
      return .end(.blocked)
    }
    thread.turn.send()
    guard let signal else { return .gaveTurnAway }
    signal.wait()
    return nil
  }

  /// Gives the turn to the simulation's own driver if that waits for it, else to a new substitute. The thread
  /// of a job within a step that was blocked calls this when the job is over.
  func passTurnOn() {
    if let signal = state.withLock({ $0.blocked.takeBackTurn() }) {
      signal.send()
    } else {
      startSubstitute()
    }
  }

  // MARK: Substitutes

  /// Starts a substitute. It begins with this job, if there is one.
  func startSubstitute(from job: Job? = nil) {
    if let host {
      if job == nil, host.turns.driveOn(self) { return }
      return host.startSubstitute(of: self, from: job)
    }
    outsideSimulations {
      _ = Task.detached(executorPreference: DriverThreads.shared) { [self] in
        guard let report = await driveToEnd(nil) else { return }
        watch?.loseDriver(of: self, with: report)
      }
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension BlockedThread {
  /// Makes the thread able to go on; false if it is able to already.
  @discardableResult
  func goOn(isMet: Bool = false, isFromOutside: Bool = false) -> Bool {
    let isFromOutside = isFromOutside || !executor.isRunningHere
    let goingOn = executor.state.withLock { state in
      if isMet, !isReady { self.isMet = true }
      return state.letGoOn(self, isFromOutside: isFromOutside)
    }
    switch goingOn {
    case .no: return false
    case .atOnce: turn.send()
    case .later(let driver):
      driver?.resume()
      executor.host?.wake()
    }
    return true
  }
}

extension sleepless_awaited {
  /// Its name in lists of tasks.
  fileprivate var name: String {
    switch self {
    case sleepless_awaited_semaphore: "a semaphore"
    case sleepless_awaited_group: "a dispatch group"
    default: "a work item"
    }
  }
}
