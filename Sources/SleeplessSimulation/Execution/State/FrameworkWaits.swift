/// The waits of the test framework in a simulation; see `FrameworkWait`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct FrameworkWaits {
  /// The waits that are under way, in the order in which they began.
  private(set) var all: [FrameworkWait] = []
  /// The waits that the framework has decided but that have not returned.
  private var decided: [FrameworkWait] = []
  // Each step asks for these two, and `isEmpty` of an array is generic code.
  private(set) var isAny = false
  private(set) var isAnyDecided = false
  /// How many steps had been taken when the conditions of all waits were last evaluated.
  private var evaluatedAt: Int?
  /// Whether nothing has come from outside for as long as the simulation waits for that.
  private var isOutsideSilent = false

  mutating func add(_ wait: FrameworkWait) {
    all.append(wait)
    isAny = true
    isOutsideSilent = false
    evaluatedAt = nil
  }

  mutating func decide(_ wait: FrameworkWait) {
    decided.append(wait)
    isAnyDecided = true
  }

  /// Takes the wait that was decided first.
  mutating func takeDecided() -> FrameworkWait {
    let wait = decided.removeFirst()
    isAnyDecided = !decided.isEmpty
    all.removeAll { $0 === wait }
    isAny = !all.isEmpty
    return wait
  }

  /// The waits whose conditions may have changed since they were last evaluated.
  mutating func takeUnevaluated(at steps: Int) -> [FrameworkWait] {
    guard evaluatedAt != steps else { return [] }
    evaluatedAt = steps
    return all
  }

  // MARK: Patience

  // A wait that would fail is patient: code outside, such as a queue, gets the real time that it gets
  // before a deadlock is declared. Only then does time move to the end of such a wait. If time moves for
  // another reason, it does not wait.

  /// Whether time must wait for code outside before it moves, if so much work is pending.
  func isPatient(with count: Int) -> Bool {
    isAny && !isOutsideSilent && all.count(where: \.isPatient) == count
  }

  /// Notes that nothing has come from outside; false if no wait was patient.
  mutating func endPatience() -> Bool {
    guard isAny, !isOutsideSilent, all.contains(where: \.isPatient) else { return false }
    isOutsideSilent = true
    // Code outside may have changed what a predicate reads.
    evaluatedAt = nil
    return true
  }
}
