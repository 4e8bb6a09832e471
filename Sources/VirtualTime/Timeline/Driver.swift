import Dispatch
import Sleepless

/// Who drives a timeline: one thread, possibly from within its own work, and whoever waits to.
package struct Driver {
  package enum Decision {
    case entered
    case tooDeep
    case wait(DispatchSemaphore)
  }

  /// What comes of giving up.
  package enum GiveUpResult {
    /// Its turn has come in this very moment.
    case called
    /// The driver is still running work from there, if any.
    case occupied(WorkSource?)
  }

  static let deepest = 200

  private var thread: UInt?  // nil when nobody drives; then `running` is empty
  // Where what each nested drive is running came from, outermost first; the drive's log holds it.
  private var running: [Unmanaged<WorkSource>?] = []
  private var waiting: [DispatchSemaphore] = []
  /// Whether a nested drive ended badly: work that comes back for ever would drive those around it
  /// on for ever too, each as often as the limit allows, times the next.
  private(set) var isStopping = false

  package init() {}

  var waitingCount: Int { waiting.count }

  package mutating func enter(_ caller: UInt) -> Decision {
    if let thread, thread != caller {
      let turn = DispatchSemaphore(value: 0)
      waiting.append(turn)
      return .wait(turn)
    }
    guard running.count < Self.deepest else {
      isStopping = true
      return .tooDeep
    }
    thread = caller
    running.append(nil)
    return .entered
  }

  mutating func runs(_ source: Unmanaged<WorkSource>?) { running[running.count - 1] = source }

  /// Returns whom to wake.
  package mutating func leave(badly: Bool = false) -> DispatchSemaphore? {
    running.removeLast()
    guard running.isEmpty else {
      if badly { isStopping = true }
      return nil
    }
    thread = nil
    isStopping = false
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Stops waiting, unless it has just been called: whoever ignored that would keep the turn from
  /// those who wait behind it.
  package mutating func giveUp(_ turn: DispatchSemaphore) -> GiveUpResult {
    guard let index = waiting.firstIndex(where: { $0 === turn }) else { return .called }
    waiting.remove(at: index)
    return .occupied((running.last ?? nil)?.takeUnretainedValue())
  }

  func running(on caller: UInt) -> WorkSource? {
    thread == caller ? (running.last ?? nil)?.takeUnretainedValue() : nil
  }
}
