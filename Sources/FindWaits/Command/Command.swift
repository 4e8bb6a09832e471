import Foundation

/// `find-waits` from its arguments to its exit status.
package enum Command {
  /// Runs the command, prints its report, and returns the exit status: 0 for done, 1 if tests wait and that is to
  /// fail, 2 if nothing was read.
  package static func run(_ words: [String]) -> Int32 {
    run(words) { text in
      FileHandle.standardOutput.write(Data(text.utf8))
    } complain: { text in
      FileHandle.standardError.write(Data("find-waits: \(text)\n".utf8))
    }
  }

  /// The same, with functions that get the output.
  package static func run(
    _ words: [String], print: (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    do {
      let arguments = try Arguments(words)
      if arguments.wantsHelp {
        print(Arguments.help)
        return 0
      }
      return try run(arguments, print: print)
    } catch let error as Arguments.Misuse {
      complain(error.text)
    } catch {
      complain("\(error)")
    }
    return 2
  }

  private static func run(_ arguments: Arguments, print: (String) -> Void) throws -> Int32 {
    let baseline = try arguments.baseline.map {
      try Baseline(try text(of: $0, for: "--baseline"), $0)
    }
    let timings = try arguments.timings.map { try Timings(try text(of: $0, for: "--with"), $0) }
    let sources = SourceFiles(in: arguments.paths, excluding: arguments.excluded)
    guard !sources.paths.isEmpty else {
      let reasons = sources.problems.map { "\($0.path): \($0.text)" }
      throw Arguments.Misuse(
        text: reasons.isEmpty
          ? "No Swift files in \(arguments.paths.joined(separator: ", ")). Pass the folders of the tests."
          : reasons.joined(separator: "\n"))
    }
    var report = Report(fileCount: sources.paths.count) { index throws(SourceProblemError) in
      try sources.load(index)
    }
    report.problems += sources.problems
    if let timings { report.join(timings) }
    let all = report
    if let baseline { report.remove(baseline) }
    if arguments.fixes || arguments.showsFixes {
      return fix(ChangePlan(report, of: all, tries: arguments.tries), arguments, print)
    }
    print(output(of: report, as: arguments.format))
    let isIncomplete = !report.problems.isEmpty
    if report.problems.count - sources.problems.count == report.fileCount { return 2 }
    return arguments.failsOnWaits && (!report.tests.isEmpty || isIncomplete) ? 1 : 0
  }

  private static func fix(
    _ plan: ChangePlan, _ arguments: Arguments, _ print: (String) -> Void
  ) -> Int32 {
    let read = { (path: String) in
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
    let folder = FileManager.default.currentDirectoryPath
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return withoutActuallyEscaping(print) { print in
      var fixer = Fixer(
        plan,
        in: Fixer.Package(
          sleepless: arguments.package, folder: folder, manifest: ChangedFiles.manifest(of: names),
          read: read,
          write: { path, text in
            try text.write(toFile: path, atomically: true, encoding: .utf8)
          }, build: SwiftCommand.build, test: SwiftCommand.test(_:atMost:), print: print))
      if arguments.fixes { return fixer.fix() }
      fixer.show()
      return 0
    }
  }

  private static func output(of report: Report, as format: Arguments.Format) -> String {
    switch format {
    case .text: ReportText.text(of: report)
    case .json: ReportJSON.text(of: report)
    case .github: Annotations.text(of: report)
    case .baseline: Baseline(report).text
    }
  }

  private static func text(of path: String, for option: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Arguments.Misuse(
        text: "\(option) names the file \(path), which cannot be read. Check the path.")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
