import Sleepless
import Testing

/// What the helpers of a test know that may explain the failure of another one of them.
///
/// A read that fails because nothing came is often the consequence of an error that lies unread in
/// the next recorder. Each failure asks the others of its test what they have to add.
final class Bystanders: Sendable {
  private struct Entry: Sendable {
    let owner: String
    let note: @Sendable () -> String?
  }

  static let shared = Bystanders()

  private let entries = Locked<(last: Int, all: [Int: Entry])>((0, [:]))

  func add(to owner: String, _ note: @escaping @Sendable () -> String?) -> Int {
    entries.withLock { entries in
      entries.last += 1
      entries.all[entries.last] = Entry(owner: owner, note: note)
      return entries.last
    }
  }

  func remove(_ number: Int) { entries.withLock { $0.all[number] = nil } }

  /// What the others have to say, in the order in which they were made.
  func notes(of owner: String, except number: Int?) -> [String] {
    let entries = entries.withLock { entries in
      entries.all.filter { $0.value.owner == owner && $0.key != number }
    }
    return entries.sorted { $0.key < $1.key }.compactMap { $0.value.note() }
  }
}

extension Owner {
  /// Tells the tests, and the cases of one test, that run side by side from each other.
  func key(_ testCase: Test.Case?) -> String {
    switch self {
    case .swiftTest(let test, _):
      guard let testCase, testCase.isParameterized else { return "\(test.id)" }
      return "\(test.id) \(testCase)"
    case .testCase(let test): return "\(ObjectIdentifier(test))"
    case .nobody: return ""
    }
  }
}
