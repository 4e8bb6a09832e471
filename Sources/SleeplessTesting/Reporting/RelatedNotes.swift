import Sleepless
import Testing

/// What the helpers of a test know that may explain the failure of another one of them.
///
/// A read that fails because nothing came is often the consequence of an error that lies unread in
/// the next recorder. Each failure asks the others of its test what they have to add.
final class RelatedNotes: Sendable {
  private struct Entry: Sendable {
    let owner: TestMembership
    let note: @Sendable () -> String?
  }

  static let shared = RelatedNotes()

  private let entries = Locked<(last: Int, all: [Int: Entry])>((0, [:]))

  func add(to owner: TestMembership, _ note: @escaping @Sendable () -> String?) -> Int {
    entries.withLock { entries in
      entries.last += 1
      entries.all[entries.last] = Entry(owner: owner, note: note)
      return entries.last
    }
  }

  func remove(_ number: Int) { entries.withLock { $0.all[number] = nil } }

  /// What the others have to say, in the order in which they were made.
  func notes(of owner: TestMembership, except number: Int?) -> [String] {
    // A copy: what a dictionary's filter leaves untouched shares its memory, and the thread sanitizer
    // does not see who lets go of it first.
    let others = entries.withLock { $0.all.compactMap { $0.key == number ? nil : $0 } }
    return others.filter { $0.value.owner.isInSameTest(as: owner) }
      .sorted { $0.key < $1.key }.compactMap { $0.value.note() }
  }
}

/// Where a bystander was made. Costs nothing until somebody fails.
struct TestMembership: Sendable {
  private let owner: TestContext
  private let testCase: Test.Case?

  init(_ owner: TestContext, _ testCase: Test.Case?) {
    self.owner = owner
    self.testCase = testCase
  }

  /// Whether both were made in one test and, if that has arguments, in one case of it. Cases may run
  /// side by side.
  func isInSameTest(as other: TestMembership) -> Bool {
    switch (owner, other.owner) {
    case (.swiftTest(let a, _), .swiftTest(let b, _)):
      guard a.id == b.id else { return false }
      guard let testCase, testCase.isParameterized else { return true }
      // Nothing public tells one case from another, but they print their arguments.
      return other.testCase.map { "\($0)" == "\(testCase)" } ?? false
    case (.testCase(let a), .testCase(let b)): return a === b
    default: return false
    }
  }
}
