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
///
/// ```swift
/// let outcome = await Simulation.run {
///   try await Task.sleep(for: .seconds(3600))
///   return Simulation.current?.now
/// }
/// // outcome.result is .success(3600 s), and outcome.report.elapsed 3600 s
/// ```
public struct Simulation: Sendable {
  // Older systems cannot run a simulation, but have to know its options: the traits of a test take them, and
  // Swift Testing evaluates traits on every system. So the type is there on all, and what needs a newer
  // system is not in its declaration.

  /// A `SimulationExecutor`.
  private let object: any AnyObject & Sendable
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  init(executor: SimulationExecutor) { object = executor }

  // Unsafe, and so without a cast at run time: the initializer stores nothing else.
  var executor: SimulationExecutor { unsafeDowncast(object, to: SimulationExecutor.self) }

  /// The simulation that runs the calling code, if one does.
  ///
  /// Nil outside simulations, on a thread of the program's own, on a queue that the simulation does not follow, and in
  /// a task that has outlived its simulation. A task belongs to its simulation wherever it runs.
  ///
  /// ```swift
  /// #expect(Simulation.current == nil)
  /// _ = await Simulation.run {
  ///   try await Task.sleep(for: .seconds(60))
  ///   #expect(Simulation.current?.now == .seconds(60))
  /// }
  /// ```
  public static var current: Simulation? {
    SimulationExecutor.running.map(Simulation.init(executor:))
  }

  /// Its number in this process; no other has the same.
  package var number: UInt64 { executor.context.pointee.number }

  /// The number of the simulation whose code has begun the calling thread; 0 if none has. Linux only.
  package static var numberOfBeginner: UInt64 { sleepless_thread_begun_by() }

  /// The virtual time that has passed since the start.
  ///
  /// ```swift
  /// #expect(Simulation.current == nil)
  /// _ = await Simulation.run {
  ///   try await Task.sleep(for: .seconds(60))
  ///   #expect(Simulation.current?.now == .seconds(60))
  /// }
  /// ```
  public var now: Duration { executor.timeline.now.duration }

  package var timeline: Timeline { executor.timeline }

  /// Identifies the simulation for as long as it runs.
  package var id: ObjectIdentifier { ObjectIdentifier(executor) }

  /// Whether a test on the main thread drives the simulation; see `HostedSimulation`.
  package var isHosted: Bool { executor.host != nil }

  /// An object of another module that the simulation keeps until it ends. The first call makes it.
  package func associatedObject<Object: AnyObject & Sendable>(_ make: (Timeline) -> Object)
    -> Object
  {
    if let object = executor.kept.withLock({
      $0.associated.lazy.compactMap { $0 as? Object }.first
    }) {
      return object
    }
    let object = make(executor.timeline)
    executor.kept.withLock { $0.associated.append(object) }
    return object
  }

  // MARK: Running

  /// Runs a body and everything that it starts, and returns the result.
  ///
  /// The body runs with the caller's task-local values, and where the caller is isolated. When the body has
  /// ended, everything that can run at that instant runs. Then everything that is left is cancelled and
  /// runs to its end. Cancelling the caller cancels the body.
  ///
  /// The call throws no error: what the body throws is in the result.
  ///
  /// ```swift
  /// let outcome = await Simulation.run {
  ///   try await Task.sleep(for: .seconds(60))
  ///   return 42
  /// }
  /// #expect(try outcome.result?.get() == 42)
  /// #expect(outcome.report.elapsed == .seconds(60))  // of virtual time
  /// ```
  public static func run<Value>(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    @_implicitSelfCapture _ body: @escaping () async throws -> Value
  ) async -> Outcome<Value> {
    await run(options, capture: .best, body)
  }

  /// Runs a body that is only lent: it must not escape the call. Swift Testing lends a test's function to a
  /// trait in this way.
  ///
  /// A body that never ends retains that function for ever, and `withoutActuallyEscaping` would then stop
  /// the program. But the simulation of such a body is dead, and none of its tasks will run again. So
  /// `lend` releases their references to the function for them. A job that still blocks its thread may
  /// release its own reference much later, so the references are restored after the check.
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

  /// Runs a lent body under one schedule after another; see above. `judge` returns the verdict on each.
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
    let (result, context, count) = await withoutActuallyEscaping(body) { body in
      let (result, isLost) = await use(body)
      let parts = unsafeBitCast(FunctionInMemory(body: body), to: (code: UInt, context: UInt).self)
      let pointer = UnsafeMutableRawPointer(bitPattern: parts.context)
      return (result, parts.context, isLost ? sleepless_release_other_references(pointer) : 0)
    }
    sleepless_restore_references(UnsafeMutableRawPointer(bitPattern: context), count)
    return result
  }

  /// A function as it lies in memory. The function alone would be wrapped in another one when it is passed
  /// on.
  struct FunctionInMemory {
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
  /// The series ends when a job keeps its thread for too long, and when the caller is cancelled.
  /// - Parameter options: Returns how to run the next simulation, or nil to stop. Its argument is the
  ///   outcome of the one before, nil at first. Any thread may call it, one call at a time.
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
    var first: Options?
    repeat {
      let batch = SimulationBatch(capture.capture, body, first: first, options)
      first = await withTaskCancellationHandler {
        await batch.run()
      } onCancel: {
        batch.cancel()
      }
    } while first != nil
  }
}

/// Which capture a simulation uses.
package enum CaptureKind: Sendable {
  /// The most that the process allows.
  case best
  /// The public interface alone, as on platforms that allow nothing more.
  case preference
}

extension CaptureKind {
  /// Whether the process's executors are ours.
  static var isProcessCaptured: Bool {
    #if SLEEPLESS_CAPTURES_PROCESS
      return ProcessCapture.isInstalled
    #else
      return false
    #endif
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaptureKind {
  /// Whether it captures everything that a program does; see <doc:WhatIsCaptured>.
  package var isWholeProcess: Bool { capture.isWholeProcess }

  var capture: any Capture {
    if self == .best, let process = Self.process { return process }
    return PreferenceCapture()
  }

  /// The capture of the whole process, where there is one.
  static var process: (any Capture)? {
    #if SLEEPLESS_CAPTURES_PROCESS
      if isProcessCaptured { return ProcessCapture() }
    #endif
    return nil
  }
}

/// Carries a value into a task and back. No other code uses the value meanwhile.
///
/// Unchecked because the caller waits while the task runs, and goes on after the task has ended.
final class Box<Content>: @unchecked Sendable {
  var content: Content?

  init(_ content: Content? = nil) { self.content = content }
}
