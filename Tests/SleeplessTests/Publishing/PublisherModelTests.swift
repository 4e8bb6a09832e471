import Foundation
import Sleepless
import Testing
import TestSupport

@Suite struct PublisherModelTests {
  /// Half a million operations (in debug a tenth), in scripts of some dozens, on our subjects and
  /// on a model.
  ///
  /// Covered: sends, ends, subscriptions and cancellations, in sequence and from within callbacks
  /// at any depth, by and of subscribers that are current, cancelled or just subscribing; with and
  /// without a current value. Not covered: threads, which have their own tests, and the moment of
  /// each release. The seeds are fixed, so a pass means that these scripts agree, and a failure is
  /// never chance.
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
    let actual = PublisherScript(seed: seed, on: RealSubject(hasValue: hasValue))
    expected.run()
    actual.run()
    try #require(
      actual.log == expected.log, "Replay this script with SLEEPLESS_MODEL_SEED=\(seed).")
    return actual.operations
  }
}
