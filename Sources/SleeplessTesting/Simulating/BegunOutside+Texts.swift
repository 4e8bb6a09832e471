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
    var listed: [(kind: String, functions: [String])] = []
    let listings = compactMap { work -> String? in
      let frames = work.framesOfProgram
      let kind = work.name + (work.time.map { ", begun at \($0.shortDescription)" } ?? "")
      let functions = frames.map(\.function)
      // In a release build the innermost function of one of the works may be missing.
      let isListed = listed.contains {
        $0.kind == kind
          && ($0.functions.first == functions.first
            || $0.functions.dropFirst().elementsEqual(functions))
      }
      guard !isListed else { return nil }
      listed.append((kind, functions))
      return kind + (frames.isEmpty ? "" : ", in \(frames.path)")
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
    case .dataSource: "a source of Dispatch for data"
    case .channel: "a call of DispatchIO"
    case .timer: "a timer of a run loop"
    case .network: "a network call"
    case .thread: "a thread"
    case .process: "a child process"
    case .signalHandler: "a signal handler"
    case .systemTimer: "a timer of the operating system"
    case .block(let queueName): "a block on \(queueName), which the simulation does not follow"
    }
  }
}
