import CRuntimeHooks
import Sleepless

/// What code inside a simulation can ask of it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Moves virtual time on by a duration and returns when everything due by then has happened.
  ///
  /// Whatever can run runs first, and again after each deadline on the way, so nothing that the code
  /// does at those times comes late. A negative duration means zero.
  public func advance(by duration: Duration) async {
    let target = executor.timeline.now.advanced(by: duration)
    await executor.suspend(because: "advance(by:)") { $0.advances.append((target, $1)) }
  }

  /// Returns when everything started so far has come to rest.
  ///
  /// With automatic time that is when no task can run and none sleeps; with manual time, when no
  /// task can run. Background tasks keep nobody waiting, and neither do others that settle.
  public func settle() async {
    await executor.suspend(because: "settle()") { $0.settlers.append($1) }
  }

  /// Returns when nothing else can run without time moving.
  package func settleAtThisInstant() async {
    await executor.suspend(because: "others to run") { $0.settlersAtThisInstant.append($1) }
  }

  /// Calls back, once, when nothing can run and nothing is due, before that is taken for a deadlock:
  /// a helper that waits can give up and say so.
  package func onDeadlock(_ callback: @escaping @Sendable () -> Void) {
    executor.state.withLock { $0.deadlockHandlers.append(callback) }
  }

  /// Waits for what only code outside the simulation can still do, in real time; virtual time stands
  /// still meanwhile. It takes as long as the guard allows, and in an exploration as long as nothing
  /// running is taken for a deadlock.
  ///
  /// `begin` starts the wait: it gets what ends it, and returns what gives it up and ends it as well.
  package func waitForOutside(
    _ begin: (_ end: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) async {
    let task = TaskPointer.current
    executor.state.withLock { if let task { $0.waitingForOutside.insert(task) } }
    defer { executor.state.withLock { if let task { $0.waitingForOutside.remove(task) } } }
    await withUnsafeContinuation { continuation in
      onDeadlock(begin { continuation.resume() })
    }
  }

  /// Notes what the calling task is about to wait for, for lists of suspended tasks.
  package func note(waitingFor reason: String) {
    guard let task = TaskPointer.current else { return }
    executor.state.withLock { state in state.tasks.update(task) { $0.reason = reason } }
  }

  /// Runs code whose tasks are meant to live on: nothing waits for them, and they may be unfinished
  /// when the body ends.
  public func background<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let task = TaskPointer.current
    let before = executor.markBackground(true, task)
    defer { _ = executor.markBackground(before, task) }
    return try await body()
  }

  /// Runs code whose tasks are meant to live on: nothing waits for them, and they may be unfinished
  /// when the body ends.
  public func background<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let task = TaskPointer.current
    let before = executor.markBackground(true, task)
    defer { _ = executor.markBackground(before, task) }
    return try body()
  }

  /// Runs code outside the simulation, in real time, and returns its value; virtual time stands
  /// still meanwhile.
  ///
  /// For work that needs the world: reading a file, asking a server. Its result comes when it comes,
  /// so a simulation with such work is as reproducible as the work is.
  public func outside<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    executor.state.withLock { $0.outsideCalls += 1 }
    // Its preference keeps it out of here.
    let task = Task(executorPreference: globalConcurrentExecutor, operation: body)
    defer { executor.state.withLock { $0.outsideCalls -= 1 } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Suspends the current task until the driver resumes it; `reason` is what a list of suspended
  /// tasks will say.
  fileprivate func suspend(
    because reason: String,
    _ register: (inout SimulationState, UnsafeContinuation<Void, Never>) -> Void
  ) async {
    let task = TaskPointer.current
    await withUnsafeContinuation { continuation in
      let driver = state.withLock { state in
        if let task { state.tasks.update(task) { $0.reason = reason } }
        register(&state, continuation)
        return state.takeDriver()
      }
      driver?.resume()
    }
  }

  /// Says whether the task's own and its later tasks are background; returns what was said before.
  fileprivate func markBackground(_ isBackground: Bool, _ task: TaskPointer?) -> Bool {
    state.withLock { state in
      guard let entry = task.flatMap({ state.tasks.find($0) }) else {
        defer { state.makesBackground = isBackground }
        return state.makesBackground
      }
      defer { entry.pointee.isBackground = isBackground }
      return entry.pointee.isBackground
    }
  }
}
