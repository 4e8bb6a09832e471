import CRuntimeHooks

/// Whether this process's tasks can be captured, and if not, why: in words.
package enum RuntimeVerdict {
  /// Why this process's tasks cannot be captured, as the end of a sentence; nil if they can.
  package static var obstacle: String? {
    guard CaptureKind.isProcessCaptured else { return reason }
    return nil
  }

  private static var reason: String {
    #if !os(Linux) || SLEEPLESS_AS_ON_APPLE
      return "that takes Linux"
    #elseif !SLEEPLESS_CAPTURES_PROCESS
      return """
        this release of Sleepless was not verified with \(toolchain) (the package trait UnverifiedCompiler \
        lets you try)
        """
    #else
      if sleepless_wants_public_runtime() { return "SLEEPLESS_RUNTIME=public switches that off" }
      guard let fact = missingFact else { return "the runtime has not been sampled" }
      let cause = fact == sleepless_fact_stand_ins ? " (-static-stdlib is the usual cause)" : ""
      return """
        with \(toolchain) this does not hold: \(String(cString: sleepless_fact_statement(fact))) \
        (\(String(cString: sleepless_fact_name(fact))))\(cause)
        """
    #endif
  }

  /// The first fact that simulations rely on and that does not hold.
  private static var missingFact: sleepless_fact? {
    (0..<sleepless_fact_of_searches.rawValue).lazy.map { sleepless_fact($0) }
      .first { sleepless_fact_fails($0) }
  }

  /// The facts that do not hold here, and without which calls that wait block their thread in real time; nil if all
  /// hold.
  package static let factsOfRealWaits: String? = {
    let missing = [sleepless_fact_blocking_calls, sleepless_fact_conditions]
      .filter { sleepless_fact_fails($0) }
      .map {
        "\(String(cString: sleepless_fact_statement($0))) (\(String(cString: sleepless_fact_name($0))))"
      }
    return missing.isEmpty ? nil : missing.joined(separator: "; ")
  }()

  /// The compiler that built this, as far as it is known, and the platform.
  package static var toolchain: String {
    // The package does not build with an older one.
    #if compiler(>=6.4) || SLEEPLESS_AS_WITH_LATER_COMPILER
      let compiler = "a compiler later than Swift 6.3"
    #else
      let compiler = "Swift 6.3"
    #endif
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
      return "\(compiler) on Linux"
    #else
      return "\(compiler) on this platform"
    #endif
  }

  /// Prints the facts that simulations rely on, and whether tasks are captured, to standard error.
  static func report() {
    sleepless_print_line("Sleepless: the facts about the runtime (\(toolchain))")
    sleepless_print_facts(sleepless_fact_of_simulations, sleepless_fact_of_searches)
    let verdict = obstacle.map { "cannot be captured: \($0)" } ?? "are captured"
    sleepless_print_line("Sleepless: the tasks of this process \(verdict).")
    sleepless_print_line("Sleepless: the facts about calls that block threads, and about dates")
    sleepless_print_facts(sleepless_fact_of_blocking, sleepless_fact_count)
  }
}

// Where the process can be captured, ProcessCapture prints the report.
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && !SLEEPLESS_CAPTURES_PROCESS
  @section(".init_array") @used
  private let reportAtLoad: @convention(c) () -> Void = {
    if sleepless_wants_report() { RuntimeVerdict.report() }
  }
#endif
