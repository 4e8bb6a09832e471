import Sleepless

/// Simulations of one body, one after another, on a task of their own: the caller must be able to go
/// on even if a job never gives its thread back.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationBatch<Value>: Sendable {
  typealias Outcome = Simulation.Outcome<Value>
  typealias Caller = UnsafeContinuation<Void, Never>

  private struct Bodies {
    var running: Task<Void, Never>?
    var isCancelled = false
  }

  private let capture: any Capture
  private let body: Box<() async throws -> Value>
  private let options: @Sendable (_ previous: Outcome?) -> Simulation.Options?
  private let bodies = Locked(Bodies())
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
        // With the caller's task-local values, for the bodies' tasks to inherit.
        Task(executorPreference: DriverThreads.shared) { [self] in await drive(for: caller) }
      }
    }
    handOver()
  }

  private func drive(for caller: Caller) async {
    defer { watch.close() }
    var previous: Outcome?
    while let options = options(previous), previous == nil || !isCancelled {
      guard let outcome = await run(options, for: caller) else { return }
      previous = outcome
    }
    // Before the caller goes on: it may only have been lent.
    body.content = nil
    handOver()
    DriverThreads.shared.resume(caller)
  }

  /// Says to the thread sanitizer that what the series has written is the caller's to read: it does
  /// not see the order that resuming makes.
  private func handOver() { bodies.withLock { _ in } }

  private var isCancelled: Bool { bodies.withLock { $0.isCancelled } }

  /// Cancels the body that is running and lets none follow.
  func cancel() {
    let running = bodies.withLock { bodies in
      bodies.isCancelled = true
      return bodies.running
    }
    running?.cancel()
  }

  /// Runs one simulation; nil if it had to be given up, and the caller has gone on.
  private func run(_ options: Simulation.Options, for caller: Caller) async -> Outcome? {
    let executor = SimulationExecutor(options, capture: capture)
    let result = Box<Result<Value, any Error>>()
    let task = executor.start { [body] in
      do { result.content = .success(try await body.content!()) } catch {
        result.content = .failure(error)
      }
    }
    bodies.withLock { $0.running = task }
    if isCancelled { task.cancel() }
    watch.begin(executor) { [self] in
      let report = executor.abandon()
      if report.hasBodyEnded { body.content = nil }
      _ = self.options(Outcome(result, report))
      handOver()
      caller.resume()
    }
    let report = await executor.driveToEnd()
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
