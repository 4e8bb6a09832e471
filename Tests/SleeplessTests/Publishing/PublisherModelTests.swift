import Foundation
import Sleepless
import Testing
import TestSupport

@Suite struct PublisherModelTests {
  /// Half a million operations, in debug a tenth, in episodes of some dozens, on subjects and on a model of them.
  ///
  /// What it covers: sends, ends, subscriptions and cancellations, one after another and from within
  /// callbacks at any depth, of and by whoever subscribes, has left, or is being subscribed; with
  /// and without a current value. What it does not: threads, which have tests of their own, and what
  /// is released when. The seeds are fixed, so a pass says that these episodes agree and a failure
  /// is never chance.
  @Test(arguments: [false, true])
  func `random sends, cancels and subscriptions do what a list of jobs does`(hasValue: Bool) throws
  {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SLEEPLESS_MODEL_SEED"].flatMap(UInt64.init) {
      _ = try compare(seed, hasValue)
      return
    }
    var operations = 0
    var seed: UInt64 = 0
    while operations < rounds(500_000) {
      operations += try compare(seed, hasValue)
      seed += 1
    }
  }

  private func compare(_ seed: UInt64, _ hasValue: Bool) throws -> Int {
    let expected = PublisherScript(seed: seed, on: ModelSubject(hasValue: hasValue))
    let actual = PublisherScript(seed: seed, on: SubjectStage(hasValue: hasValue))
    expected.play()
    actual.play()
    try #require(
      actual.log == expected.log, "Replay this episode with SLEEPLESS_MODEL_SEED=\(seed).")
    return actual.operations
  }
}
