import CRuntimeHooks
import Sleepless
import VirtualTime

/// Runs code and everything that it starts, one job at a time, in an order and a time of its own.
///
/// The code needs no change and no injected clock: `Task {}`, `Task.sleep`, `async let`, groups,
/// actors and `@MainActor` are all captured where the platform allows it (see <doc:WhatIsCaptured>).
/// Its order is the same each time, and its time moves only when nothing can run.
///
/// This module returns values and fails no test; test targets use `simulate` and the trait
/// `.simulated` of `SleeplessTesting`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public struct Simulation: Sendable {
  let executor: SimulationExecutor

  /// The simulation that runs the calling code, if one does.
  ///
  /// Nil outside, in code on a dispatch queue or a thread of its own, and in a task that has outlived
  /// its simulation. A task belongs to its simulation wherever it runs.
  public static var current: Simulation? {
    SimulationExecutor.running.map(Simulation.init)
  }

  /// The virtual time that has passed since the start.
  public var now: Duration { executor.timeline.now.duration }

  package var timeline: Timeline { executor.timeline }

  /// Tells it from other simulations for as long as it runs.
  package var id: ObjectIdentifier { ObjectIdentifier(executor) }

  /// Whether a test on the main thread drives it, see `HostedSimulation`.
  package var isHosted: Bool { executor.host != nil }

  /// What another module keeps for as long as the simulation runs; made when first asked for.
  package func associatedObject<Object: AnyObject & Sendable>(_ make: (Timeline) -> Object)
    -> Object
  {
    if let object = executor.associatedObjects.withLock({
      $0.lazy.compactMap { $0 as? Object }.first
    }) {
      return object
    }
    let object = make(executor.timeline)
    executor.associatedObjects.withLock { $0.append(object) }
    return object
  }

  // MARK: Running

  /// Runs a body and everything it starts, and returns what came of it.
  ///
  /// The body runs with the caller's task-local values, and where the caller is isolated. When it
  /// has ended, what can run at that instant runs; then whatever is left is cancelled and runs to
  /// its end. Cancelling the caller cancels the body.
  public static func run<Value>(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    @_implicitSelfCapture _ body: @escaping () async throws -> Value
  ) async -> Outcome<Value> {
    await run(options, capture: .best, body)
  }

  /// Runs a body that is only lent, as Swift Testing lends a test's function to a trait.
  ///
  /// A body that never ends never lets go of it, and `withoutActuallyEscaping` stops the program on
  /// that. Such a simulation is dead, none of its tasks will run again, so their hold may be dropped.
  /// A job that still blocks its thread may let go of it much later; for that it is given back.
  package static func run(
    lent body: @Sendable () async throws -> Void, _ options: Options
  ) async -> Outcome<Void> {
    var options = options
    options.isBodyLent = true
    return await lend(body) { body in
      let outcome = await run(options, capture: .best, isolation: nil) { try await body() }
      return (outcome, isLost: !outcome.report.hasBodyEnded)
    }
  }

  /// Runs a body again and again that is only lent; see above. `judge` tells what came of each.
  package static func explore(
    lent body: @Sendable () async throws -> Void, _ explorer: Explorer,
    judge: @escaping @Sendable (Outcome<Void>) -> Verdict
  ) async {
    await lend(body) { body in
      let isLost = Locked(false)
      await explore(explorer, isBodyLent: true, { try await body() }) { outcome in
        if !outcome.report.hasBodyEnded { isLost.withLock { $0 = true } }
        return judge(outcome)
      }
      return ((), isLost: isLost.withLock { $0 })
    }
  }

  /// Runs a body under one schedule after another.
  package static func explore(
    _ explorer: Explorer, isBodyLent: Bool = false,
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Void,
    judge: @escaping @Sendable (Outcome<Void>) -> Verdict
  ) async {
    await runSeries(capture: .best, body) { previous in
      var options = explorer.next(after: previous, judge)
      options?.isBodyLent = isBodyLent
      return options
    }
  }

  private static func lend<Result>(
    _ body: @Sendable () async throws -> Void,
    _ use: (@escaping @Sendable () async throws -> Void) async -> (Result, isLost: Bool)
  ) async -> Result {
    let (result, context, holds) = await withoutActuallyEscaping(body) { body in
      let (result, isLost) = await use(body)
      let parts = unsafeBitCast(Held(body: body), to: (code: UInt, context: UInt).self)
      let pointer = UnsafeMutableRawPointer(bitPattern: parts.context)
      return (result, parts.context, isLost ? sleepless_drop_other_holds(pointer) : 0)
    }
    sleepless_restore_holds(UnsafeMutableRawPointer(bitPattern: context), holds)
    return result
  }

  /// A function as it lies in memory; passed by itself it would be wrapped once more.
  struct Held {
    let body: @Sendable () async throws -> Void
  }

  package static func run<Value>(
    _ options: Options, capture: CaptureKind, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping () async throws -> Value
  ) async -> Outcome<Value> {
    guard current == nil else { return Outcome(result: nil, report: .nested) }
    let outcome = Box<Outcome<Value>>()
    await runSeries(capture: capture, body) { previous in
      outcome.content = previous
      return previous == nil ? options : nil
    }
    return outcome.content!
  }

  /// Runs a body again and again, each time in a simulation of its own, much faster than by calling
  /// `run` as often. It must not be called inside a simulation.
  ///
  /// A job that keeps its thread ends the series, and so does cancelling the caller.
  /// - Parameter options: How to run the next one, nil to stop; gets what came of the one before, nil
  ///   at first. It is called on whatever thread, one call at a time.
  @_spi(Benchmarks) public static func runSeries<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Value,
    options: @escaping @Sendable (_ previous: Outcome<Value>?) -> Options?
  ) async {
    await runSeries(capture: .best, body, options: options)
  }

  private static func runSeries<Value>(
    capture: CaptureKind, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping () async throws -> Value,
    options: @escaping @Sendable (_ previous: Outcome<Value>?) -> Options?
  ) async {
    let series = SimulationBatch(capture.capture, body, options)
    await withTaskCancellationHandler {
      await series.run()
    } onCancel: {
      series.cancel()
    }
  }
}

/// Which capture a simulation uses.
package enum CaptureKind: Sendable {
  /// The most that the process allows.
  case best
  /// The public interface alone, as on platforms where there is nothing else.
  case preference
}

extension CaptureKind {
  /// Whether the process's executors are ours.
  static var isProcessCaptured: Bool {
    #if os(Linux) && compiler(>=6.3) && !SLEEPLESS_PUBLIC_EXECUTORS
      return ProcessCapture.isInstalled
    #else
      return false
    #endif
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaptureKind {
  /// Whether it gets hold of everything that a program does, see <doc:WhatIsCaptured>.
  package var isWholeProcess: Bool { capture.isWholeProcess }

  var capture: any Capture {
    if self == .best, let process = Self.process { return process }
    return PreferenceCapture()
  }

  /// The capture of the whole process, where there is one.
  static var process: (any Capture)? {
    #if os(Linux) && compiler(>=6.3) && !SLEEPLESS_PUBLIC_EXECUTORS
      if isProcessCaptured { return ProcessCapture() }
    #endif
    return nil
  }
}

/// Carries something into a task that nobody else touches meanwhile.
///
/// Unchecked because the caller waits while the task runs, and the task has ended when it goes on.
final class Box<Content>: @unchecked Sendable {
  var content: Content?

  init(_ content: Content? = nil) { self.content = content }
}
