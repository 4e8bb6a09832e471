/// Why a file could not be read, or not to its end.
package struct SourceProblem: Equatable, Sendable {
  package let path: String
  /// Nil if the file has no line to blame.
  package let line: Int?
  package let text: String
}
