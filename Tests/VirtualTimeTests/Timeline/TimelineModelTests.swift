import Foundation
import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineModelTests {
  /// Runs a million operations, in debug a tenth, in scripts of some dozens, on the timeline and on a model of
  /// it.
  ///
  /// It covers delays from -2 to 9 ns, so that every script has coincidences, intervals from
  /// 1 to 8 ns, drives by -1 to 8 ns and from within work up to four deep, cancelling work that
  /// is pending, runs, has run or never existed. It does not cover shuffled order, jitter, groups,
  /// limits, threads, instants of more than a few digits, more than a hundred pieces of work at once,
  /// which have tests of their own. The seeds are fixed, so a pass says that these scripts agree and
  /// a failure is never chance.
  @Test func `random operations do what a sorted array does`() throws {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["SLEEPLESS_MODEL_SEED"].flatMap(UInt64.init) {
      _ = try compare(seed)
      return
    }
    var operations = 0
    var seed: UInt64 = 0
    while operations < rounds(1_000_000) {
      operations += try compare(seed)
      seed += 1
    }
  }

  private func compare(_ seed: UInt64) throws -> Int {
    let expected = ModelScript(seed: seed, on: ModelStage())
    let actual = ModelScript(seed: seed, on: TimelineStage())
    expected.play()
    actual.play()
    try #require(
      actual.log == expected.log, "Replay this episode with SLEEPLESS_MODEL_SEED=\(seed).")
    return actual.operations
  }
}
