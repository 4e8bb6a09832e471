/// How many failures a helper has reported, and how many it has only counted.
///
/// A helper reports its first ten failures and counts the rest (F4): they usually have one cause.
package struct FailureLimit: Sendable {
  static let most = 10
  /// With so many failures a simulation is given up: a loop that goes on after each of them would go on until
  /// the limit of steps.
  static let mostInSimulation = 100

  package init() {}

  /// What to do with a failure.
  package enum Decision: Sendable {
    case reported
    /// Count it. At the first one, find a time to report the count; at the last one, end the simulation.
    case counted(isFirst: Bool, isLast: Bool)
  }

  private struct Count: Sendable {
    var reported = 0
    var unreported = 0
  }

  // By the name of the failing test. A helper made outside every test serves several tests; the failures
  // of one must not use up the limit of the next.
  private var counts: [String: Count] = [:]

  package mutating func add(in test: String) -> Decision {
    var count = counts[test] ?? Count()
    defer { counts[test] = count }
    guard count.reported == Self.most else {
      count.reported += 1
      return .reported
    }
    count.unreported += 1
    return .counted(
      isFirst: count.unreported == 1,
      isLast: count.reported + count.unreported == Self.mostInSimulation)
  }

  /// Takes back the latest failure, which was reported and then caught.
  mutating func takeBack(in test: String) { counts[test]?.reported -= 1 }

  /// Takes the number of failures in a test that were only counted. A later failure is reported again.
  package mutating func takeUnreported(in test: String) -> Int {
    counts.removeValue(forKey: test)?.unreported ?? 0
  }

  var tests: [String] { counts.keys.sorted() }

  /// `ofLine` if the failures are those of all helpers made at the line.
  static func text(_ count: Int, ofLine: Bool = false) -> String {
    """
    \(ofLine ? "This line" : "The helper made here") failed \(count) more \(count == 1 ? "time" : "times"); \
    only its first ten failures are shown.
    This is usually one cause in a loop: begin with the first failure.
    """
  }
}
