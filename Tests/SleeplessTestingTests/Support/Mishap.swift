import SleeplessTesting
import Testing

/// A way to make a helper fail, and what the user then reads: the same in both frameworks.
struct Mishap: Sendable, CustomTestStringConvertible {
  let name: String
  let file: String
  let line: Int
  let text: String
  let provoke: @Sendable () async -> Void

  var testDescription: String { name }

  init(
    _ name: String, in file: String = #fileID, at line: Int, reads text: String,
    provoke: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.file = file
    self.line = line
    self.text = text
    self.provoke = provoke
  }

  var failure: Failure { Failure(text, file: file, line: line) }
}
