import CRuntimeHooks
import RetainGraph
import SleeplessSimulation
import Testing
import XCTest

/// A feature that a test needs and that some systems lack. There the test is skipped, with the need as the
/// reason.
package enum Need: String, CaseIterable, Sendable {
  case capture = "needs the capture of tasks"
  case memorySearch = "needs the search of memory"
  case threadValues = "needs the search of thread-specific values"
  case objectBirths = "needs to see each allocation"
  case virtualWaits = "needs XCTest's waits in virtual time"
  case blockingCalls = "needs calls that block threads in virtual time"
  case dates = "needs dates in virtual time"
  case queues = "needs Dispatch's queues in virtual time"
  case operations = "needs operation queues in virtual time"
  case runLoops = "needs run loops and timers of Foundation in virtual time"
  case clocks = "needs the clocks of Dispatch and C in virtual time"

  package var isMet: Bool {
    switch self {
    case .capture: return RuntimeVerdict.obstacle == nil
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
      case .memorySearch: return RetainPathSearch.obstacle == nil
      case .threadValues: return RetainPathSearch.findsThreadValues
      case .objectBirths: return !sleepless_fact_fails(sleepless_fact_object_births)
      case .virtualWaits:
        guard Need.capture.isMet, #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
          return false
        }
        return WaitingFramework.isUsable
      case .blockingCalls:
        return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_blocking_calls)
      case .dates: return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_dates)
      case .queues: return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_queues)
      case .operations:
        return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_operations)
      case .runLoops: return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_run_loops)
      case .clocks:
        return Need.capture.isMet && !sleepless_fact_fails(sleepless_fact_program_clocks)
    #else
      case .memorySearch, .threadValues, .objectBirths, .virtualWaits, .blockingCalls, .dates,
        .queues,
        .operations, .runLoops, .clocks:
        return false
    #endif
    }
  }

  /// Skips the rest of an XCTest test.
  package func orSkip() throws { try XCTSkipUnless(isMet, rawValue) }

  /// Skips the rest of a Swift Testing test: of one case only, if the test has arguments.
  package func orCancel() throws { if !isMet { try Test.cancel("\(rawValue)") } }
}

extension XCTestCase {
  /// Whether a test of a simulated test case can run here; prints why not.
  ///
  /// XCTest on Linux lets only code of a test skip it, and that code is not to run here.
  package func canBeSimulated() -> Bool {
    // XCTest waits for each asynchronous test, so all need virtual waits.
    guard let need = [Need.capture, .virtualWaits].first(where: { !$0.isMet }) else { return true }
    print("\(name) did not run: it \(need.rawValue).")
    return false
  }
}

extension Trait where Self == ConditionTrait {
  /// For a test or suite that is skipped where a need is not met.
  package static func needs(_ need: Need) -> Self { .enabled(if: need.isMet, "\(need.rawValue)") }
}
