import Testing

/// A way to make virtual time fail, and what the user then reads: the same in both frameworks.
struct Mishap: Sendable, CustomTestStringConvertible {
  let name: String
  let failure: Failure
  let provoke: @Sendable () async -> Void

  var testDescription: String { name }

  init(
    _ name: String, at line: Int, in file: String = #fileID, reads text: String,
    provoke: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    failure = Failure(text, file: file, line: line)
    self.provoke = provoke
  }

  static let all = ofScheduling + ofAdvancing + ofSleeping + ofStandIns + ofSimulating
}
