/// A place in source code: where a helper was made, or where work was scheduled.
///
/// Functions that take `fileID`, `filePath`, `line` and `column` with the compiler's literals as
/// defaults pack them into one of these, so that a failure can point at the caller.
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
  /// Called without arguments it means the line it is written on. As a *default argument* it would
  /// mean the line of the declaration; functions therefore take the four literals one by one.
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
  public static func == (a: CallSite, b: CallSite) -> Bool {
    a.line == b.line && a.column == b.column && a.filePath.description == b.filePath.description
  }
}
