import SleeplessSimulation

extension Simulation.TaskReport {
  /// The task and what it does: `1 "reader" sleeping until 5.0 seconds since 0.0 seconds`.
  var text: String {
    let doing =
      switch state {
      case .running: "running"
      case .ready: "ready"
      case .sleeping(let until): "sleeping until \(until)"
      case .waiting(let reason): "waiting for \(reason)"
      case .suspended: "suspended"
      }
    return "\(number)\(name.map { " \"\($0)\"" } ?? "") \(doing) since \(since)"
  }
}

extension Simulation.Ending {
  /// The case without its values.
  var name: String { String("\(self)".prefix { $0 != "(" }) }
}

extension Simulation.Options {
  /// With a shorter timeout, for tests of hangs.
  init(timeout: Duration) {
    self.init()
    self.timeout = timeout
  }
}
