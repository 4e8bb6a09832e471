import Sleepless

/// Runs simulations of one body, one after another, in a task of their own. So the caller can go on even if
/// a job blocks its thread for ever.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationBatch<Value>: Sendable {
  typealias Outcome = Simulation.Outcome<Value>
  typealias Caller = UnsafeContinuation<Void, Never>

  private struct State {
    var running: Task<Void, Never>?
    var isCancelled = false
    /// The options of the next simulation, for another batch: this one has lost its driver.
    var next: Simulation.Options?
  }

  private let capture: any Capture
  private let body: Box<() async throws -> Value>
  /// The options of the first simulation, if `options` has returned them already.
  private let first: Simulation.Options?
  private let options: @Sendable (_ previous: Outcome?) -> Simulation.Options?
  private let state = Locked(State())
  private let watch = Watchdog.Watch()

  init(
    _ capture: any Capture, _ body: @escaping () async throws -> Value, first: Simulation.Options?,
    _ options: @escaping @Sendable (_ previous: Outcome?) -> Simulation.Options?
  ) {
    self.capture = capture
    self.body = Box(body)
    self.first = first
    self.options = options
  }

  /// Runs the simulations. If one has ended while a job blocked the thread of the batch's driver, and there is another
  /// simulation to run, returns the options of that one, for another batch.
  func run() async -> Simulation.Options? {
    await withUnsafeContinuation { caller in
      DriverThreads.shared.startDriver {
        // This task copies the caller's task-local values, and each body's task inherits them.
        Task(executorPreference: DriverThreads.shared) { [self] in await drive(for: caller) }
      }
    }
    return state.withLock { $0.next }
  }

  private func drive(for caller: Caller) async {
    var next = first ?? options(nil)
    while let current = next {
      guard let outcome = await run(current, for: caller) else { return }
      next = options(outcome)
      if isCancelled { break }
    }
    watch.close()
    // The body is released before the caller goes on, because it may only be lent.
    body.content = nil
    showOrderToSanitizer()
    DriverThreads.shared.resume(caller)
  }

  /// Shows the thread sanitizer that the caller reads the batch's results after they were written. The
  /// sanitizer does not see that a resumption orders the two.
  private func showOrderToSanitizer() { state.withLock { _ in } }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the running body. No other body follows.
  func cancel() {
    let running = state.withLock { state in
      state.isCancelled = true
      return state.running
    }
    running?.cancel()
  }

  /// Runs one simulation. Returns nil if it has ended without this driver, because a job blocks the driver's
  /// thread. Then the caller has been resumed.
  private func run(_ options: Simulation.Options, for caller: Caller) async -> Outcome? {
    let executor = SimulationExecutor(options, capture: capture, watch: watch)
    let result = Box<Result<Value, any Error>>()
    let task = executor.start { [body] in
      do { result.content = .success(try await body.content!()) } catch {
        result.content = .failure(error)
      }
    }
    state.withLock { $0.running = task }
    if isCancelled { task.cancel() }
    watch.begin(executor) { [self] report in
      // A job that computes or waits in real time may use all that the body uses.
      let mayGoOn = report != nil
      end(Outcome(result, report ?? executor.abandon()), mayGoOn: mayGoOn, for: caller)
    }
    guard let report = await executor.driveToEnd(task) else {
      fatalError("A simulation's own driver has given its turn away.")
    }
    return watch.end(executor) ? Outcome(result, report) : nil
  }

  /// Ends the batch after a simulation whose driver is lost.
  private func end(_ outcome: Outcome, mayGoOn: Bool, for caller: Caller) {
    watch.close()
    if outcome.report.hasBodyEnded { body.content = nil }
    let next = options(outcome)
    if mayGoOn { state.withLock { $0.next = $0.isCancelled ? nil : next } }
    showOrderToSanitizer()
    caller.resume()
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome {
  /// A body that never ended may still write to its box.
  fileprivate init(_ result: Box<Result<Value, any Error>>, _ report: Simulation.Report) {
    self.init(result: report.hasBodyEnded ? result.content : nil, report: report)
  }
}
