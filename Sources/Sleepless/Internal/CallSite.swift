/// A place in source code: the line that made a helper or scheduled work.
///
/// A function that reports to its caller takes `fileID`, `filePath`, `line` and `column`, with the
/// compiler's literals as default arguments. It packs the four into a call site, so a failure can
/// point at the caller.
public struct CallSite: Sendable {
  /// The module and file name, as `#fileID` gives them.
  public let fileID: StaticString
  /// The full path, as `#filePath` gives it.
  public let filePath: StaticString
  /// The line, counted from 1.
  public let line: UInt
  /// The column, counted from 1.
  public let column: UInt

  /// Packs the four literals of one place.
  ///
  /// Without arguments the call site is the line of this call. As a *default argument* it would be
  /// the line of the declaration, so functions take the four literals one by one.
  ///
  /// ```swift
  /// func place(
  ///   fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  ///   line: UInt = #line, column: UInt = #column
  /// ) -> CallSite {
  ///   CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  /// }
  ///
  /// print(place())  // prints the file and line of this call, such as SearchTests.swift:42
  /// ```
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}

extension CallSite: CustomStringConvertible {
  /// The file's name and the line: `SearchModel.swift:42`.
  public var description: String {
    let id = fileID.description
    let name = id.lastIndex(of: "/").map { id[id.index(after: $0)...] } ?? id[...]
    return "\(name):\(line)"
  }
}

extension CallSite: Equatable {
  /// Whether both name the same line and column of the same file.
  ///
  /// ```swift
  /// let (first, second) = (CallSite(), CallSite())
  /// print(first == first)  // prints true
  /// print(first == second)  // prints false: another column
  /// ```
  public static func == (a: CallSite, b: CallSite) -> Bool {
    a.line == b.line && a.column == b.column && a.filePath.description == b.filePath.description
  }
}
