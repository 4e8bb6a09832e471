import Sleepless
import SleeplessSimulation

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.TaskReport {
  /// The task in one line: its name, what it waits for and since when, and in which functions.
  var listing: String { listing(withSteps: false) }

  /// The task in one line, with the number of its steps if asked for.
  func listing(withSteps: Bool) -> String {
    var parts = [designation]
    switch state {
    case .running: parts.append("running")
    case .ready: parts.append("able to run")
    case .sleeping(let until): parts.append("asleep until \(until.shortDescription)")
    case .waiting(let reason): parts.append("waiting for \(reason)")
    case .suspended: parts.append("suspended")
    }
    parts.append("since \(since.shortDescription)")
    if withSteps { parts[parts.count - 1] += ", \(steps) \(steps == 1 ? "step" : "steps")" }
    let place = functions.isEmpty ? "" : ", in \(functions.joined(separator: " ← "))"
    return "\(parts[0]): \(parts[1...].joined(separator: " "))\(place)"
  }

  private var designation: String {
    if number == 0 { return "the body" }
    return name.map { "task \(number) \"\($0)\"" } ?? "task \(number)"
  }
}
