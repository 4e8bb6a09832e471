import Foundation
import Sleepless

/// The source of the lines at which the tasks of a schedule go on.
///
/// It is read from the files that the program was built from, as they are now. A file that is gone has no lines.
package struct SourceExcerpt: Sendable {
  /// A file with the lines of it that are shown, in their order.
  private struct File: Sendable {
    let name: String
    var lines: [(number: Int, text: String)]
  }

  private let files: [File]

  /// What files contain, by their names, in place of the real files. Tests of the documentation set it: its readers
  /// have other files.
  @TaskLocal package static var contents: [String: String]?

  /// The largest number of lines of steps. Lines after them and between them come in addition.
  private static let lineLimit = 20
  /// So many lines after a line of a step are shown, too, if they belong to the same block.
  private static let followingLines = 2
  /// So many lines between two lines of steps are shown, too.
  private static let longestGap = 3

  /// The lines of the rows that are shown. If they are too many: those of the switches and of the rows around
  /// them, and of the last rows; then those of the first ones.
  package init(
    of shown: [ScheduleRows.Shown], in rows: ScheduleRows,
    reading read: (_ path: String) -> String? = Self.content(of:)
  ) {
    var chosen: [SourceLine] = []
    for line in Self.byImportance(shown, in: rows)
    where !chosen.contains(line) && chosen.count < Self.lineLimit {
      chosen.append(line)
    }
    var paths: [String] = []
    for path in chosen.map(\.path) where !paths.contains(path) { paths.append(path) }
    files = paths.compactMap { path in
      read(path).flatMap { Self.file(path, $0, chosen.filter { $0.path == path }.map(\.number)) }
    }
  }

  /// The name of each file, and below it its lines with their numbers. Empty if no file is there.
  package func lines(width: Int) -> [String] {
    files.flatMap { file in
      [file.name]
        + file.lines.flatMap { line in
          line.text.inASCII.wrappedCode(to: width - Self.margin).enumerated().map { part, text in
            let number = part == 0 ? "\(line.number)" : ""
            return (number.indented(to: Self.margin - 2) + "  " + text).withoutTrailingSpaces
          }
        }
    }
  }

  /// The width of the numbers and of the space after them.
  private static let margin = 7

  // MARK: Which lines

  private static func byImportance(
    _ shown: [ScheduleRows.Shown], in rows: ScheduleRows
  ) -> [SourceLine] {
    let indices = shown.compactMap(\.row)
    let near = indices.indices.filter { rows.rows[indices[$0]].isSwitch }
      .flatMap { [$0, $0 - 1, $0 + 1] }
    let order = near.filter(indices.indices.contains) + indices.indices.suffix(3) + indices.indices
    let steps = order.flatMap { rows.rows[indices[$0]].frames }
    let functions = rows.columns(of: shown).compactMap { rows.columns[$0].function }
    return (steps + functions).compactMap(\.line)
  }

  /// A line, and those after it that are indented at least as much: a step runs on from its line.
  private static func block(from number: Int, in texts: [String]) -> ClosedRange<Int> {
    let indentation = texts[number - 1].indentation
    let following = texts[number...].prefix(followingLines)
      .prefix { !$0.isEmpty && $0.indentation >= indentation }
    return number...(number + following.count)
  }

  private static func fillingShortGaps(_ numbers: [Int]) -> [Int] {
    var filled: [Int] = []
    for number in numbers {
      if let last = filled.last, number - last <= longestGap + 1 {
        filled += (last + 1)..<number
      }
      filled.append(number)
    }
    return filled
  }

  // MARK: Their texts

  /// The lines with these numbers and those that belong to them; nil if the file has none of them any more.
  private static func file(_ path: String, _ content: String, _ numbers: [Int]) -> File? {
    let texts = content.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).replacing("\t", with: "  ").withoutTrailingSpaces }
    let blocks = numbers.filter { texts.indices.contains($0 - 1) }.map {
      block(from: $0, in: texts)
    }
    guard !blocks.isEmpty else { return nil }
    let lines = fillingShortGaps(Set(blocks.joined()).sorted()).map {
      (number: $0, text: texts[$0 - 1])
    }
    return File(name: name(of: path), lines: dedented(lines))
  }

  private static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  package static func content(of path: String) -> String? {
    if let contents { return contents[name(of: path)] }
    return try? String(contentsOfFile: path, encoding: .utf8)
  }

  /// The lines without the indentation that they share.
  private static func dedented(
    _ lines: [(number: Int, text: String)]
  ) -> [(number: Int, text: String)] {
    let indentation = lines.filter { !$0.text.isEmpty }.map(\.text.indentation).min() ?? 0
    return lines.map { ($0.number, String($0.text.dropFirst(indentation))) }
  }
}

extension String {
  /// The number of spaces at its beginning.
  fileprivate var indentation: Int { prefix { $0 == " " }.count }

  /// The text with a sign for each other character: others can be lost on the way through a pipe.
  fileprivate var inASCII: String { String(map { $0.isASCII ? $0 : "?" }) }

  /// The text in lines of at most a width, all with its indentation, up to half the width, and the later ones with a
  /// little more.
  fileprivate func wrappedCode(to width: Int) -> [String] {
    guard count > width else { return [self] }
    let margin = String(repeating: " ", count: min(indentation, width / 2))
    return dropFirst(indentation).wrapped(to: width - margin.count - 2)
      .enumerated().map { $0 == 0 ? margin + $1 : margin + "  " + $1 }
  }
}
