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
  }

  private let capture: any Capture
  private let body: Box<() async throws -> Value>
  private let options: @Sendable (_ previous: Outcome?) -> Simulation.Options?
  private let state = Locked(State())
  private let watch = Watchdog.Watch()

  init(
    _ capture: any Capture, _ body: @escaping () async throws -> Value,
    _ options: @escaping @Sendable (_ previous: Outcome?) -> Simulation.Options?
  ) {
    self.capture = capture
    self.body = Box(body)
    self.options = options
  }

  func run() async {
    await withUnsafeContinuation { caller in
      DriverThreads.shared.startDriver {
        // This task copies the caller's task-local values, and each body's task inherits them.
        Task(executorPreference: DriverThreads.shared) { [self] in await drive(for: caller) }
      }
    }
    showOrderToSanitizer()
  }

  private func drive(for caller: Caller) async {
    defer { watch.close() }
    var previous: Outcome?
    while let options = options(previous), previous == nil || !isCancelled {
      guard let outcome = await run(options, for: caller) else { return }
      previous = outcome
    }
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

  /// Runs one simulation. Returns nil if the watchdog has abandoned it and resumed the caller.
  private func run(_ options: Simulation.Options, for caller: Caller) async -> Outcome? {
    let executor = SimulationExecutor(options, capture: capture)
    let result = Box<Result<Value, any Error>>()
    let task = executor.start { [body] in
      do { result.content = .success(try await body.content!()) } catch {
        result.content = .failure(error)
      }
    }
    state.withLock { $0.running = task }
    if isCancelled { task.cancel() }
    watch.begin(executor) { [self] in
      let report = executor.abandon()
      if report.hasBodyEnded { body.content = nil }
      _ = self.options(Outcome(result, report))
      showOrderToSanitizer()
      caller.resume()
    }
    let report = await executor.driveToEnd(task)
    return watch.end() ? Outcome(result, report) : nil
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome {
  /// A body that never ended may still write to its box.
  fileprivate init(_ result: Box<Result<Value, any Error>>, _ report: Simulation.Report) {
    self.init(result: report.hasBodyEnded ? result.content : nil, report: report)
  }
}
