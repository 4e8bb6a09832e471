/// How many failures a helper has told, and how many it has kept to itself since.
///
/// One cause is not to flood (F4): a helper tells its first ten failures and counts the rest.
package struct FailureLimit: Sendable {
  static let most = 10

  package init() {}

  /// What becomes of a failure.
  package enum Decision: Sendable {
    case told
    /// It is counted; the first of them asks for a time at which the count is told.
    case counted(isFirst: Bool)
  }

  private struct Count: Sendable {
    var told = 0
    var untold = 0
  }

  // By the name of the test that fails. A helper that was made outside every test serves several, and
  // what one of them does must not keep the next one from failing.
  private var counts: [String: Count] = [:]

  package mutating func add(in test: String) -> Decision {
    var count = counts[test] ?? Count()
    defer { counts[test] = count }
    guard count.told == Self.most else {
      count.told += 1
      return .told
    }
    count.untold += 1
    return .counted(isFirst: count.untold == 1)
  }

  /// Takes the number of failures in that test that have not been told. The next one is told again: it
  /// comes late.
  package mutating func takeUntold(in test: String) -> Int {
    counts.removeValue(forKey: test)?.untold ?? 0
  }

  var tests: [String] { counts.keys.sorted() }

  static func text(_ count: Int) -> String {
    """
    The helper made here failed \(count) more \(count == 1 ? "time" : "times"); only its first ten \
    failures are shown.
    This is usually one cause in a loop: begin with the first failure.
    """
  }
}
