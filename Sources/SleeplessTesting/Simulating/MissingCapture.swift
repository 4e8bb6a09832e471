import Sleepless
import SleeplessSimulation

/// Explains, in failures, why the tasks of this process cannot be captured, and what works nevertheless.
enum MissingCapture {
  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
    private static let hint = " SLEEPLESS_RUNTIME=report prints what was checked."
  #else
    private static let hint = ""
  #endif

  private static let isExplained = Locked(false)

  /// Explains it to the reader of a failure: in full at the first call in the process, in one sentence after that.
  static func explain() -> String {
    guard isExplained.setForTheFirstTime(), let obstacle = RuntimeVerdict.obstacle else {
      return "The first failure of this kind says why."
    }
    return """
      The reason: \(obstacle).
      Everything works that needs no capture: schedulers and clocks that the code takes by protocol, \
      recorders, doubles, eventually, always and never. simulate controls async functions, child tasks and \
      actors, but neither Task {} nor sleeps in it.\(hint)
      """
  }
}
