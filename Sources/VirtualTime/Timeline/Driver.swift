import Dispatch
import Sleepless

/// The thread that drives a timeline, and the threads that wait to drive it.
///
/// Work that the thread runs may drive the timeline too, which is a nested drive.
package struct Driver {
  package enum Decision {
    case entered
    case tooDeep
    case wait(DispatchSemaphore)
  }

  /// The result of giving up a wait.
  package enum GiveUpResult {
    /// The thread's turn has come meanwhile; it must drive.
    case turnHasCome
    /// Another thread still drives, and runs work of this source, if any.
    case occupied(WorkSource?)
  }

  static let deepest = 200

  private var thread: UInt?  // nil when no thread drives; then `running` is empty
  // The source of the work that each nested drive runs, outermost first; the drive's log retains it.
  private var running: [Unmanaged<WorkSource>?] = []
  private var waiting: [DispatchSemaphore] = []
  /// Whether a nested drive reached its step limit. The drives around it stop too: work that repeats for
  /// ever would otherwise run as often as the product of all their limits.
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

  /// Returns the semaphore of the thread to wake.
  package mutating func leave(reachedLimit: Bool = false) -> DispatchSemaphore? {
    running.removeLast()
    guard running.isEmpty else {
      if reachedLimit { isStopping = true }
      return nil
    }
    thread = nil
    isStopping = false
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Stops waiting, unless the thread's turn has come: then it must drive, or the threads that wait behind it
  /// would never be woken.
  package mutating func giveUp(_ turn: DispatchSemaphore) -> GiveUpResult {
    guard let index = waiting.firstIndex(where: { $0 === turn }) else { return .turnHasCome }
    waiting.remove(at: index)
    return .occupied((running.last ?? nil)?.takeUnretainedValue())
  }

  func running(on caller: UInt) -> WorkSource? {
    thread == caller ? (running.last ?? nil)?.takeUnretainedValue() : nil
  }
}
