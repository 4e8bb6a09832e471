import Sleepless
import SleeplessSimulation

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Report {
  /// What the code began outside; nil if nothing is known of it.
  var begunOutsideProblem: String? {
    guard !begunOutside.isEmpty else { return nil }
    return """
      The code has begun work that the simulation does not control, and that may still go on:
      \(begunOutside.listings.map { "  \($0)" }.joined(separator: "\n"))
      Virtual time does not wait for it, so the failure may follow from that. Use a double there, or run the call \
      in Simulation.outside { ... }, which stops virtual time until it returns.
      """
  }
}

extension [BegunOutside] {
  /// The works, one text for each that a function has begun at one time, at most ten.
  var listings: [String] {
    var known: Set<[String]> = []
    let listings = compactMap { work -> String? in
      let (name, frames) = (work.name, work.framesOfProgram)
      let began = "begun at \(work.time.shortDescription)"
      guard known.insert([name, began, frames.first?.function ?? ""]).inserted else { return nil }
      return "\(name), \(began)\(frames.isEmpty ? "" : ", in \(frames.path)")"
    }
    return Array<String>(listings.prefix(10))
  }
}

extension BegunOutside {
  /// The functions with lines, which those of the system's libraries do not have; all, if none has one.
  fileprivate var framesOfProgram: [CodeFrame] {
    let frames = codeFrames
    let withLines = frames.filter { $0.line != nil }
    return withLines.isEmpty ? frames : withLines
  }

  fileprivate var name: String {
    switch kind {
    case .source: "a source of Dispatch for a descriptor or a signal"
    case .timer: "a timer of a run loop"
    case .network: "a network call"
    }
  }
}
