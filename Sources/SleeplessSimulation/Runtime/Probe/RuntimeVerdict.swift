import CRuntimeHooks
import Foundation

/// Which facts about the runtime hold in this process, and what follows, in words.
package enum RuntimeVerdict {
  /// Why this process's tasks cannot be captured, as the end of a sentence; nil if they can.
  package static var obstacle: String? {
    guard CaptureKind.isProcessCaptured else { return reason }
    return nil
  }

  private static var reason: String {
    #if !os(Linux)
      return "that takes Linux"
    #elseif SLEEPLESS_PUBLIC_EXECUTORS || !compiler(>=6.3)
      return "this version of Sleepless has not been verified with \(toolchain)"
    #else
      if sleepless_wants_public_runtime() { return "SLEEPLESS_RUNTIME=public switches that off" }
      guard let fact = facts.first(where: { $0.isSampled && !$0.holds }) else {
        return "the runtime has not been sampled"
      }
      let remark =
        fact.name == "stand-ins"
        ? " The runtime is usually a part of the program then, because of -static-stdlib." : ""
      return """
        with \(toolchain) a fact does not hold that it relies on, \(fact.name): \(fact.statement).\(remark)
        """
    #endif
  }

  /// The toolchain that built this, as far as it is known.
  package static var toolchain: String {
    #if compiler(>=6.4)
      let compiler = "a compiler later than Swift 6.3"
    #elseif compiler(>=6.3)
      let compiler = "Swift 6.3"
    #else
      let compiler = "a compiler older than Swift 6.3"
    #endif
    #if os(Linux)
      return "\(compiler) on Linux"
    #else
      return "\(compiler) on this platform"
    #endif
  }

  struct Fact {
    let name: String
    let statement: String
    let isSampled: Bool
    let holds: Bool

    fileprivate init(_ fact: sleepless_fact) {
      name = String(cString: sleepless_fact_name(fact))
      statement = String(cString: sleepless_fact_statement(fact))
      isSampled = sleepless_fact_is_sampled(fact)
      holds = sleepless_fact_holds(fact)
    }

    fileprivate var line: String {
      let state = holds ? "holds" : isSampled ? "FAILS" : "not sampled"
      return "  \(state.padding(to: 12))\(name.padding(to: 20))\(statement)"
    }
  }

  private static var facts: [Fact] {
    (0..<sleepless_fact_count.rawValue).map { Fact(sleepless_fact($0)) }
  }

  /// All facts, one on a line, and what follows for simulations.
  package static var report: String {
    let verdict = obstacle.map { "This process's tasks cannot be captured: \($0)" }
    return """
      Sleepless, the facts about the runtime (\(toolchain)):
      \(facts.map(\.line).joined(separator: "\n"))
      \(verdict ?? "All tasks of this process can be captured.")

      """
  }
}

extension String {
  fileprivate func padding(to length: Int) -> String {
    self + String(repeating: " ", count: max(0, length - count))
  }
}
