import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// The test framework whose waits take virtual time in simulations; see `FrameworkWait`.
package struct WaitingFramework: Sendable {
  /// What only the framework knows about a wait.
  package struct Knowledge {
    /// Evaluates predicates and the like. Returns whether the wait passes if its timeout passes now. It is
    /// called when nothing can run.
    let evaluate: () -> Bool
    /// Makes the wait report no failure.
    let silence: () -> Void

    package init(evaluate: @escaping () -> Bool, silence: @escaping () -> Void) {
      self.evaluate = evaluate
      self.silence = silence
    }
  }

  /// How much later than its timeout a wait's timer is due.
  private let delay: Duration
  /// Examines the wait that is under way on this thread; nil if it cannot be examined.
  let examine: @Sendable () -> Knowledge?
  /// Waits for so long for something that does not happen. Returns whether the wait passed.
  let wait: @Sendable (Duration) -> Bool

  package init(
    delay: Duration, examine: @escaping @Sendable () -> Knowledge?,
    wait: @escaping @Sendable (Duration) -> Bool
  ) {
    self.delay = delay
    self.examine = examine
    self.wait = wait
  }

  // Unsafe because the loader's thread alone writes it, before other code runs.
  nonisolated(unsafe) private(set) static var shared: WaitingFramework?

  /// Makes the framework's waits take virtual time in simulations of captured processes. It must be called
  /// when the process loads.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  package static func install(_ framework: WaitingFramework, ofClass type: AnyClass) {
    guard CaptureKind.isProcessCaptured else { return }
    shared = framework
    let address = UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
    areCallsReplaced = sleepless_install_wait_hooks(hooks, address)
    if sleepless_wants_report() { _ = isUsable }
  }

  // Unsafe because the loader's thread alone writes it, before other code runs.
  nonisolated(unsafe) private static var areCallsReplaced = false

  /// Whether the framework waits as expected. That is sampled before the first simulation, since it starts a
  /// thread.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  package static let isUsable: Bool = {
    guard let shared else { return false }
    let isUsable = sleepless_note_fact(
      sleepless_fact_waits, areCallsReplaced && SampledWait.isAsExpected(in: shared))
    if sleepless_wants_report() {
      sleepless_print_line("Sleepless: the facts about XCTest")
      sleepless_print_facts(sleepless_fact_of_waits, sleepless_fact_of_blocking)
    } else if !isUsable {
      sleepless_print_line(
        """
        Sleepless: waits for expectations take real time in simulations. With \(RuntimeVerdict.toolchain) \
        this does not hold: \(String(cString: sleepless_fact_statement(sleepless_fact_waits))) \
        (\(String(cString: sleepless_fact_name(sleepless_fact_waits)))). The page "Where it works" lists what \
        follows. SLEEPLESS_RUNTIME=report prints all facts.
        """)
    }
    return isUsable
  }()

  /// The timeout of a wait, by its timer. That of a wait for ever is long, but not too long for a timeline.
  fileprivate func timeout(ofTimer nanoseconds: UInt64) -> Duration {
    max(.nanoseconds(Int64(min(nanoseconds, UInt64(Int64.max / 4)))) - delay, .zero)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private static var hooks: sleepless_wait_hooks {
    sleepless_wait_hooks(
      starts_thread: { code, context in
        if let context { _ = Unmanaged<AnyObject>.fromOpaque(context).retain() }
        let function = unsafeBitCast(
          (code: UInt(bitPattern: code), context: UInt(bitPattern: context)),
          to: Simulation.FunctionToRun.self)
        return WaitThread.start(function.body)
      },
      is_virtual: { FrameworkWait.isVirtualHere },
      begins: { nanoseconds, item, queue in
        let timer = Unmanaged<DispatchWorkItem>.fromOpaque(item!).takeUnretainedValue()
        let queue = Unmanaged<DispatchQueue>.fromOpaque(queue!).takeUnretainedValue()
        guard let timeout = WaitingFramework.shared?.timeout(ofTimer: nanoseconds) else {
          return nil
        }
        let wait: (any VirtualWait)? =
          SampledWait(timer: timer, on: queue, after: timeout)
          ?? FrameworkWait(timer: timer, on: queue, after: timeout)
        return wait.map { Unmanaged<AnyObject>.passRetained($0).toOpaque() }
      },
      waits: { wait, runLoop in
        let wait = Unmanaged<AnyObject>.fromOpaque(wait!).takeUnretainedValue()
        (wait as? any VirtualWait)?.run(on: UInt(bitPattern: runLoop))
      },
      stops: { runLoop in
        let address = UInt(bitPattern: runLoop)
        return SampledWait.noteStop(of: address) || FrameworkWait.decide(on: address)
      })
  }
}

/// A wait of the test framework that does not take real time.
protocol VirtualWait: AnyObject {
  /// Runs the wait's run loop until the framework stops it.
  func run(on runLoop: UInt)
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// A function as it lies in memory; see `FunctionInMemory`.
  fileprivate struct FunctionToRun {
    let body: @Sendable () -> Void
  }
}
