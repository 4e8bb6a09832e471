/// One side of a row in a comparison: an event as text.
struct ComparedEvent: Sendable {
  /// When it was due or came; nil where times do not matter.
  let time: String?
  let text: String
}

/// Expected and actual events side by side, the first difference marked.
///
/// Rows are aligned by a longest common subsequence, so that after a missing event the following ones
/// still match. Events that come more than 60 after the first difference are only counted.
struct Comparison {
  let expected: [ComparedEvent]
  let actual: [ComparedEvent]
  /// The events before the first difference, which are equal.
  let prefix: Int
  private var rows: [Row] = []

  private struct Row {
    let expected: Int?
    let actual: Int?
    let isEqual: Bool
  }

  private static var alignable: Int { 60 }
  private static var before: Int { 3 }
  private static var shown: Int { 12 }
  private static var widest: Int { 44 }

  /// Compares two lists; nil if they are equal.
  init?(
    expected expectedCount: Int, actual actualCount: Int,
    areEqual: (Int, Int) -> Bool,
    expectedEvent: (Int) -> ComparedEvent, actualEvent: (Int) -> ComparedEvent
  ) {
    var equal = 0
    while equal < min(expectedCount, actualCount), areEqual(equal, equal) { equal += 1 }
    if equal == expectedCount, equal == actualCount { return nil }
    prefix = equal
    // Only the rows that are shown are made into text.
    let first = max(0, equal - Self.before)
    let last = equal + Self.alignable
    expected = (first..<min(expectedCount, last)).map(expectedEvent)
    actual = (first..<min(actualCount, last)).map(actualEvent)
    let head = equal - first
    rows = (0..<head).map { Row(expected: $0, actual: $0, isEqual: true) }
    rows += Self.aligned(expected.count - head, actual.count - head) {
      areEqual(equal + $0, equal + $1)
    }.map { row in
      Row(
        expected: row.expected.map { $0 + head }, actual: row.actual.map { $0 + head },
        isEqual: row.isEqual)
    }
    hiddenBefore = first
    hiddenExpected = expectedCount - first - expected.count
    hiddenActual = actualCount - first - actual.count
  }

  private let hiddenBefore: Int
  private let hiddenExpected: Int
  private let hiddenActual: Int

  // MARK: Alignment

  private static func aligned(_ m: Int, _ n: Int, areEqual: (Int, Int) -> Bool) -> [Row] {
    // length[i][j]: the length of the longest common subsequence of the events from i and from j on.
    var length = Array(repeating: Array(repeating: 0, count: n + 1), count: m + 1)
    for i in (0..<m).reversed() {
      for j in (0..<n).reversed() {
        length[i][j] =
          areEqual(i, j) ? length[i + 1][j + 1] + 1 : max(length[i + 1][j], length[i][j + 1])
      }
    }
    var rows: [Row] = []
    var (missing, extra): ([Int], [Int]) = ([], [])
    func flush() {
      // Between two equal rows, differing events are shown in pairs.
      for k in 0..<max(missing.count, extra.count) {
        rows.append(
          Row(
            expected: k < missing.count ? missing[k] : nil,
            actual: k < extra.count ? extra[k] : nil, isEqual: false))
      }
      (missing, extra) = ([], [])
    }
    var (i, j) = (0, 0)
    while i < m || j < n {
      if i < m, j < n, areEqual(i, j), length[i][j] == length[i + 1][j + 1] + 1 {
        flush()
        rows.append(Row(expected: i, actual: j, isEqual: true))
        (i, j) = (i + 1, j + 1)
      } else if j == n || (i < m && length[i + 1][j] >= length[i][j + 1]) {
        missing.append(i)
        i += 1
      } else {
        extra.append(j)
        j += 1
      }
    }
    flush()
    return rows
  }

  // MARK: Text

  /// The table, followed by the first difference in full if the table had to cut it.
  var table: String {
    let shown = rows.prefix(Self.before + Self.shown)
    let left = shown.map { cell($0.expected, of: expected) }
    let right = shown.map { cell($0.actual, of: actual) }
    let width = (left.map(\.count) + ["expected".count]).max()!
    let number = "\(prefix + shown.count)".count
    let blank = String(repeating: " ", count: number + 4)
    var lines = [blank + "expected".padded(to: width) + "  actual"]
    if hiddenBefore > 0 { lines.append(blank + "... \(hiddenBefore) equal") }
    var isFirst = true
    for (index, row) in shown.enumerated() {
      let mark = row.isEqual ? " " : isFirst ? ">" : "*"
      if !row.isEqual { isFirst = false }
      let position = "\(hiddenBefore + index + 1)".padded(from: number)
      lines.append("\(mark) \(position)  " + left[index].padded(to: width) + "  " + right[index])
    }
    let rest = rows.dropFirst(shown.count)
    let moreExpected = rest.count { $0.expected != nil } + hiddenExpected
    let moreActual = rest.count { $0.actual != nil } + hiddenActual
    if moreExpected + moreActual > 0 {
      lines.append(blank + "... \(moreExpected) more expected, \(moreActual) more came")
    }
    return (lines + difference).joined(separator: "\n")
  }

  private func cell(_ index: Int?, of events: [ComparedEvent]) -> String {
    guard let index else { return "-" }
    let width = events.compactMap { $0.time?.count }.max() ?? 0
    let time = events[index].time.map { $0.padded(from: width) + "  " } ?? ""
    return time + events[index].text.cut(to: Self.widest)
  }

  /// Two lines with a mark under the first difference, if the table does not show it.
  private var difference: [String] {
    for row in rows where !row.isEqual {
      guard let i = row.expected, let j = row.actual else { continue }
      let (a, b) = (expected[i].text, actual[j].text)
      if a == b {
        return expected[i].time == actual[j].time
          ? ["\(a) and \(b) print the same and are not equal."] : []
      }
      guard a.cut(to: Self.widest) == b.cut(to: Self.widest) else { continue }
      let same = zip(a, b).prefix { $0 == $1 }.count
      return [
        "expected  \(a)", "actual    \(b)", String(repeating: " ", count: 10 + same) + "^",
      ]
    }
    return []
  }
}
