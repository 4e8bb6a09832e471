import CRuntimeHooks
import Sleepless
import VirtualTime

/// The calls for code inside a simulation.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Moves virtual time on by a duration, and returns when everything due by then has happened.
  ///
  /// Tasks that can run do so first, and again after each deadline on the way. So everything that they do
  /// after a deadline happens at the time of that deadline. A negative duration means zero.
  ///
  /// ```swift
  /// let outcome = await Simulation.run {
  ///   Task { try await Task.sleep(for: .seconds(2)) }
  ///   await Simulation.current?.advance(by: .seconds(2))
  /// }
  /// #expect(outcome.report.elapsed == .seconds(2))
  /// #expect(outcome.report.unfinishedTasks.isEmpty)  // what is due at the target has happened
  /// ```
  public func advance(by duration: Duration) async {
    let target = executor.timeline.now.advanced(by: duration)
    await executor.suspend(because: "advance(by:)") { $0.requests.advances.append((target, $1)) }
  }

  /// Returns when everything that has been started is at rest.
  ///
  /// With automatic time, everything is at rest when no task can run and none sleeps; with manual time,
  /// when no task can run. This function waits neither for background tasks nor for other calls of
  /// `settle()`. If the calling task is cancelled it returns at once.
  ///
  /// ```swift
  /// let outcome = await Simulation.run {
  ///   Task { try await Task.sleep(for: .seconds(2)) }
  ///   await Simulation.current?.settle()
  /// }
  /// #expect(outcome.report.elapsed == .seconds(2))
  /// #expect(outcome.report.unfinishedTasks.isEmpty)
  /// ```
  public func settle() async { _ = await settle(withinMoves: .max) }

  /// Does the same, but returns false if time has moved so many times and there is no rest: some code, such as a timer
  /// that repeats, makes time move on for ever.
  package func settle(withinMoves moves: Int) async -> Bool {
    let executor = executor
    let (number, lastMove) = executor.state.withLock {
      ($0.requests.nextSettle(), $0.lastMove(of: moves))
    }
    await withTaskCancellationHandler {
      guard !Task.isCancelled else { return }
      await executor.suspend(because: "settle()") {
        $0.requests.add(
          TimeRequests.Settle(number: number, lastMove: lastMove, continuation: $1))
      }
    } onCancel: {
      executor.state.withLock { $0.requests.takeSettle(number) }?.resume()
    }
    return !executor.state.withLock { $0.requests.takeRestlessness(of: number) }
  }

  /// Whether the simulation has cancelled its tasks, because it is about to end.
  package var isEnding: Bool {
    executor.state.withLock { if case .running = $0.phase { false } else { true } }
  }

  /// Whether it is a schedule of an exploration.
  package var isExplored: Bool { executor.options.controller != nil }

  /// How the simulation has gone so far.
  package var reportSoFar: Report { executor.report(.finished) }

  /// What virtual time will move for, without the sleeps of tasks.
  package var delays: [WorkRecord] { executor.delays }

  /// Ends the simulation before its next step, for a reason that completes the sentence "was given up …".
  package func giveUp(because reason: String) {
    executor.state.withLock { $0.giveUp(with: .givenUp(because: reason)) }
  }

  /// Returns when nothing else can run without time moving.
  package func settleAtThisInstant() async {
    await executor.suspend(because: "others to run") { $0.requests.settlesAtThisInstant.append($1) }
  }

  /// Calls back once, when nothing can run and nothing is due, before the simulation declares a deadlock. A
  /// helper that waits can then end its wait and report that.
  package func onDeadlock(_ callback: @escaping @Sendable () -> Void) {
    executor.state.withLock { $0.helpers.onDeadlock(callback) }
  }

  /// Waits, in real time, for an event that only code outside the simulation can cause. Virtual time does
  /// not move meanwhile.
  ///
  /// The wait lasts as long as the hang timeout. In an exploration that has waited in vain, it lasts as long as a
  /// simulation waits before it declares a deadlock: the failing schedule runs again many times. `begin` starts
  /// the wait. Its argument is a function that ends the wait. It returns a function that gives up, which also
  /// ends the wait. `hasHappened` says whether the event came.
  package func waitForOutside(
    hasHappened: @Sendable () -> Bool,
    _ begin: (_ end: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) async {
    let task = TaskPointer.current
    executor.state.withLock { if let task { $0.outside.beginWait(of: task) } }
    defer { executor.state.withLock { if let task { $0.outside.endWait(of: task) } } }
    await withUnsafeContinuation { continuation in
      onDeadlock(begin { continuation.resume() })
    }
    if !hasHappened() { executor.state.withLock { $0.options.controller?.hasWaitedInVain = true } }
  }

  /// Notes why the calling task is about to wait. Lists of suspended tasks show the reason.
  package func note(waitingFor reason: String) {
    guard let task = TaskPointer.current else { return }
    executor.state.withLock { state in state.tasks.update(task) { $0.reason = reason } }
  }

  /// Runs code whose tasks are background tasks: nothing waits for them, and they may be unfinished
  /// when the body ends.
  ///
  /// ```swift
  /// let pulse = Pulse()
  /// let outcome = await Simulation.run {
  ///   await Simulation.current?.background { await pulse.start() }  // it starts a task
  /// }
  /// #expect(outcome.report.unfinishedTasks.isEmpty)  // it is not counted
  /// ```
  public func background<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let task = TaskPointer.current
    let before = executor.setBackground(true, task)
    defer { _ = executor.setBackground(before, task) }
    return try await body()
  }

  /// Runs code whose tasks are background tasks: nothing waits for them, and they may be unfinished
  /// when the body ends.
  ///
  /// ```swift
  /// func startPoller() {
  ///   Simulation.current?.background {
  ///     _ = Task { while true { try await Task.sleep(for: .seconds(60)) } }
  ///   }
  /// }
  /// let outcome = await Simulation.run { startPoller() }
  /// #expect(outcome.report.unfinishedTasks.isEmpty)  // it is not counted
  /// ```
  public func background<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let task = TaskPointer.current
    let before = executor.setBackground(true, task)
    defer { _ = executor.setBackground(before, task) }
    return try body()
  }

  /// Runs code outside the simulation, in real time, and returns its value.
  ///
  /// Use it for work that cannot be simulated, such as reading a file or asking a server. Virtual time does
  /// not move meanwhile. A simulation with such work is only as reproducible as the work.
  ///
  /// It throws what the code throws. If the calling task is cancelled, so is the code.
  ///
  /// ```swift
  /// let outcome = await Simulation.run {
  ///   try await Simulation.current?.outside { FileManager.default.currentDirectoryPath }
  /// }
  /// #expect(try outcome.result?.get()?.isEmpty == false)
  /// #expect(outcome.report.elapsed == .zero)  // virtual time stands still meanwhile
  /// ```
  public func outside<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    executor.state.withLock { state in
      state.outside.beginCall()
      state.controller?.noteWorkOutside()
    }
    // The preference keeps the task out of the simulation.
    let task = Task(executorPreference: globalConcurrentExecutor, operation: body)
    defer { executor.state.withLock { $0.outside.endCall() } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Suspends the current task until the driver resumes it. Lists of suspended tasks show the reason.
  fileprivate func suspend(
    because reason: String,
    _ register: (inout SimulationState, UnsafeContinuation<Void, Never>) -> Void
  ) async {
    let task = TaskPointer.current
    await withUnsafeContinuation { continuation in
      let driver = state.withLock { state in
        if let task { state.tasks.update(task) { $0.reason = reason } }
        register(&state, continuation)
        return state.driver.takeContinuation()
      }
      driver?.resume()
    }
  }

  /// Sets whether a task, and the tasks that it creates, are background tasks. Returns the earlier setting.
  fileprivate func setBackground(_ isBackground: Bool, _ task: TaskPointer?) -> Bool {
    state.withLock { $0.setBackground(isBackground, task) }
  }
}
