import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation

/// A line of a terminal that shows how far the explorations of the process have come.
///
/// All of them share the line. Each text replaces the one before, and the last one is empty.
package final class ProgressLine: Sendable {
  /// The process's line; nil if standard error is not a terminal.
  package static let terminal: ProgressLine? = {
    guard let screen else { return nil }
    return ProgressLine {
      .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
    } write: { text in
      screen.write(Data(text.utf8))
    }
  }()

  private static var screen: FileHandle? {
    if isatty(STDERR_FILENO) == 1 { return .standardError }
    #if os(Linux)
      // `swift test` gives its test process pipes, so what counts is its own standard error.
      let path = "/proc/\(getppid())/fd/\(STDERR_FILENO)"
      guard let device = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
        device.hasPrefix("/dev/"), let screen = FileHandle(forWritingAtPath: device)
      else { return nil }
      if isatty(screen.fileDescriptor) == 1 { return screen }
    #endif
    return nil
  }

  private struct State {
    /// When the line was written last.
    var latest: Duration?
    /// How many columns of the line are in use.
    var width = 0
  }

  private static let delay = Duration.seconds(2)
  private static let interval = Duration.milliseconds(200)
  private static let columns = 79

  /// Returns the real time.
  let now: @Sendable () -> Duration
  private let write: @Sendable (String) -> Void
  private let state = Locked(State())

  package init(now: @escaping @Sendable () -> Duration, write: @escaping @Sendable (String) -> Void)
  {
    self.now = now
    self.write = write
  }

  /// Shows the progress of an exploration that began at `start`. Does nothing in its first two seconds, and
  /// for a fifth of a second after a text.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  package func show(
    _ progress: @autoclosure () -> Explorer.Progress, of test: String, since start: Duration
  ) {
    let now = now()
    guard now - start >= Self.delay else { return }
    let isTooEarly = state.withLock { state in
      if let latest = state.latest, now - latest < Self.interval { return true }
      state.latest = now
      return false
    }
    if !isTooEarly { replace(with: Self.text(progress(), of: test)) }
  }

  /// Makes the line empty.
  package func clear() { replace(with: "") }

  private func replace(with text: String) {
    // Written under the lock: two explorations may show their progress at once.
    state.withLock { state in
      guard state.width > 0 || !text.isEmpty else { return }
      let rest = String(repeating: " ", count: max(0, state.width - text.count))
      state.width = text.count
      // The cursor goes back, so that other output begins in the first column.
      write("\r\(text)\(rest)\r")
    }
  }

  /// Replaces characters other than those of ASCII, which a terminal may show in two columns.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private static func text(_ place: Explorer.Progress, of test: String) -> String {
    let progress: String
    switch place {
    case .exploring(let schedule, let planned): progress = "schedule \(schedule) of \(planned)"
    case .shrinking(let run, let limit, let count):
      let switches = count == 1 ? "1 switch" : "\(count) switches"
      progress = "shrinking, run \(run) of at most \(limit), \(switches)"
    }
    let name = String(test.map { (" "..."~").contains($0) ? $0 : "?" })
    return "\(name.prefix(columns - progress.count - 2)): \(progress)"
  }
}
