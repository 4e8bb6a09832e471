import Sleepless

/// The examples of this folder stand in the sources' comments to the letter. They print, and their tests compare what
/// they have printed.
protocol PrintingSuite: Sendable {
  var log: Locked<[String]> { get }
}

extension PrintingSuite {
  var printed: [String] { log.withLock { $0 } }

  /// Takes the place of Swift's `print`.
  func print(_ value: Any) {
    let text = "\(value)"
    log.withLock { $0.append(text) }
  }
}

/// An error in the examples.
enum LoadError: Error { case offline }
