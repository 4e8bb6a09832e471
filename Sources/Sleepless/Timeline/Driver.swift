import Dispatch

/// Who drives a timeline: one thread, possibly from within its own work, and whoever waits to.
struct Driver {
  enum Decision {
    case entered
    case tooDeep
    case wait(DispatchSemaphore)
  }

  static let deepest = 200

  private var thread: UInt?  // nil when nobody drives; then `running` is empty
  // What each nested drive is running, outermost first; the drive itself keeps it alive.
  private var running: [Unmanaged<ScheduledItem>?] = []
  private var waiting: [DispatchSemaphore] = []

  mutating func enter(_ caller: UInt) -> Decision {
    if let thread, thread != caller {
      let turn = DispatchSemaphore(value: 0)
      waiting.append(turn)
      return .wait(turn)
    }
    guard running.count < Self.deepest else { return .tooDeep }
    thread = caller
    running.append(nil)
    return .entered
  }

  mutating func runs(_ item: Unmanaged<ScheduledItem>?) { running[running.count - 1] = item }

  /// Returns whom to wake.
  mutating func leave() -> DispatchSemaphore? {
    running.removeLast()
    guard running.isEmpty else { return nil }
    thread = nil
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Stops waiting; returns what the driver has been running.
  mutating func giveUp(_ turn: DispatchSemaphore) -> ScheduledItem? {
    waiting.removeAll { $0 === turn }
    return (running.last ?? nil)?.takeUnretainedValue()
  }

  func running(on caller: UInt) -> ScheduledItem? {
    thread == caller ? (running.last ?? nil)?.takeUnretainedValue() : nil
  }
}
