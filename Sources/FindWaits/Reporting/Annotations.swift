/// The report as workflow commands of GitHub Actions, which show at the lines of a pull request.
enum Annotations {
  static func text(of report: Report) -> String {
    var lines: [String] = []
    for test in report.tests {
      for place in test.places {
        let duration = place.seconds.map { " \($0.secondsText)" } ?? ""
        var message = "\(test.name): \(place.reason)"
        for replacement in place.replacements {
          message += "\n\(replacement.file):\(replacement.line): \(replacement.text)"
        }
        lines.append(
          command(
            "warning", place.file, place.line,
            title: "\(place.kind.rawValue)\(duration): \(place.verdict.rawValue)", message))
      }
    }
    for problem in report.problems {
      lines.append(
        command("error", problem.path, problem.line, title: "find-waits: not read", problem.text))
    }
    lines.append("::notice title=find-waits::\(escaped(report.summary))")
    return lines.map { $0 + "\n" }.joined()
  }

  private static func command(
    _ name: String, _ file: String, _ line: Int?, title: String, _ message: String
  ) -> String {
    let place = line.map { ",line=\($0)" } ?? ""
    return "::\(name) file=\(escapedProperty(file))\(place),title=\(escapedProperty(title))"
      + "::\(escaped(message))"
  }

  // "Workflow commands for GitHub Actions": a percent sign begins an escape, and lines end the command.
  private static func escaped(_ text: String) -> String {
    text.map { letter in
      switch letter {
      case "%": "%25"
      case "\r": "%0D"
      case "\n", "\r\n": "%0A"
      default: String(letter)
      }
    }.joined()
  }

  private static func escapedProperty(_ text: String) -> String {
    escaped(text).map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
