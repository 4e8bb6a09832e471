import Sleepless

/// Notes of a test's helpers that may explain the failure of another helper of the same test.
///
/// A read that fails because no event came is often the consequence of an error that lies unread in
/// another recorder. So each failure shows the notes of the test's other helpers.
final class RelatedNotes: Sendable {
  private struct Entry: Sendable {
    let test: TestContext
    let note: @Sendable () -> String?
  }

  static let shared = RelatedNotes()

  private let entries = Locked<(last: Int, all: [Int: Entry])>((0, [:]))

  /// Adds a helper's note; returns the number by which to remove it.
  func add(of test: TestContext, _ note: @escaping @Sendable () -> String?) -> Int {
    entries.withLock { entries in
      entries.last += 1
      entries.all[entries.last] = Entry(test: test, note: note)
      return entries.last
    }
  }

  func remove(_ number: Int) { entries.withLock { $0.all[number] = nil } }

  /// The notes of the test's other helpers, in the order in which the helpers were made.
  func notes(of test: TestContext, except number: Int?) -> [String] {
    // A copy: a dictionary's filter may share its memory with the dictionary, and the thread sanitizer
    // does not see which of the two is released first.
    let others = entries.withLock { $0.all.compactMap { $0.key == number ? nil : $0 } }
    return others.filter { $0.value.test.isSameTest(as: test) }
      .sorted { $0.key < $1.key }.compactMap { $0.value.note() }
  }
}
