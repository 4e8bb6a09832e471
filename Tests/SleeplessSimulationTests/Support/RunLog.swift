import SleeplessSimulation
import TestSupport

/// The events of a program, each with the virtual milliseconds at which it happened: `awake@100`.
final class RunLog: Sendable {
  private let log = Log<String>()

  var entries: [String] { log.values }

  func note(_ text: String) { log.append("\(text)@\(Simulation.current.map(\.now).milliseconds)") }
}

extension Duration? {
  /// Whole milliseconds as a number, anything else in full, so that one nanosecond too many shows.
  fileprivate var milliseconds: String {
    guard let self else { return "outside" }
    let count = Int(self / .milliseconds(1))
    return Duration.milliseconds(count) == self ? "\(count)" : "\(self)"
  }
}
