import Sleepless
import SleeplessSimulation

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.TaskReport {
  /// The task in one line: its name, what it waits for and since when, and in which functions.
  var listing: String { listing("since \(since.shortDescription)") }

  /// The task in one line, with the number of its steps.
  var listingWithSteps: String {
    listing("since \(since.shortDescription), \(steps) \(steps == 1 ? "step" : "steps")")
  }

  fileprivate func listing(_ times: String) -> String {
    let doing =
      switch state {
      case .running: "running"
      case .ready: "able to run"
      case .sleeping(let until): "asleep until \(until.shortDescription)"
      case .waiting(let reason): "waiting for \(reason)"
      case .suspended: "suspended"
      }
    let frames = codeFrames
    let place = frames.isEmpty ? "" : ", in \(frames.path)"
    return "\(designation): \(doing) \(times)\(place)"
  }

  private var designation: String {
    if number == 0 { return "the body" }
    let title = name.map { "task \(number) \"\($0)\"" } ?? "task \(number)"
    return globalVariable.map { "\(title) of the global variable \($0)" } ?? title
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.ExternalResumption {
  /// The task in one line, with the time until code outside resumed it.
  var listing: String {
    task.listing("from \(task.since.shortDescription) to \(time.shortDescription)")
  }
}

extension WaitingBlocks {
  /// The blocks in one line: their queue, and what they wait for.
  var listing: String {
    let awaited =
      switch reason {
      case .blockBefore: "a block before \(count == 1 ? "it" : "them")"
      case .group: "a dispatch group"
      case .suspendedQueue: "a suspended queue"
      }
    return "\(count == 1 ? "a block" : "\(count) blocks") on \(queueName): waiting for \(awaited)"
  }
}

extension [CodeFrame] {
  /// The frames in one line, the innermost first.
  var path: String { map(\.text).joined(separator: " <- ") }
}
