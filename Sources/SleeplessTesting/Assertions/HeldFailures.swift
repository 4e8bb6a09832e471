import Sleepless

/// The failures of assertions that are tried again until they hold. In Swift Testing it only marks the code.
package final class HeldFailures: Sendable {
  /// Holds the failures of this task's code. A failure of other code in the same test is not held back.
  @TaskLocal private static var current: HeldFailures?

  private let texts = Locked<[String]>([])

  /// Whether failures of the calling code are held back.
  package static var isHolding: Bool { current != nil }

  /// Whether any failures of the running test may be held back.
  package static var isUnderWay: Bool { XCTestProgress.shared.running?.holdsFailures ?? false }

  /// Runs assertions and returns the text of their first failure; nil if there is none.
  /// Only in XCTest.
  static func hold(_ assertions: () async -> Void) async -> String? {
    let held = HeldFailures()
    let end = XCTestProgress.shared.running?.holdFailures { failure in
      current?.texts.withLock { $0.append(failure.text) } != nil
    }
    await $current.withValue(held) { await assertions() }
    end?()
    return held.texts.withLock { $0.first }
  }

  /// Runs assertions whose issues a trait holds back, so that these do not count as failures of the test.
  static func mark(_ assertions: () async -> Void) async {
    await $current.withValue(HeldFailures()) { await assertions() }
  }
}
