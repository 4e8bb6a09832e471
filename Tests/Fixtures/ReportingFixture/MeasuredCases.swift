import Foundation
import Testing

// MeasuredWaitsProcessTests runs these with SLEEPLESS_WAITS; all waits are real, because they are measured.

@Suite(.serialized) struct MeasuredWaitsInTraits {
  @Test(SleepsForEachCase(), arguments: [1, 2]) func hasATraitForEachCase(case: Int) {}
  @Test(SleepsForAllCases(), arguments: [1, 2]) func hasATraitForAllCases(case: Int) {}
}

private struct SleepsForEachCase: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Task.sleep(for: .milliseconds(20))  // real time: measured
    try await function()
  }
}

private struct SleepsForAllCases: TestTrait, TestScoping {
  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? self : nil
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Task.sleep(for: .milliseconds(20))  // real time: measured
    try await function()
    try await Task.sleep(for: .milliseconds(20))  // real time: measured
  }
}

@Suite(.serialized) struct MeasuredRepetitions {
  @Test func sleeps() async throws {
    try await Task.sleep(for: .milliseconds(120))  // real time: measured
  }

  @Test(arguments: [1, 2]) func sleepsInEachCase(case: Int) {
    Thread.sleep(forTimeInterval: 0.11)  // real time: measured
  }

  @Test func calm() {}
}

@Suite struct MeasuredMoments {
  /// Such a sleep is often over before its task waits for it.
  @Test func sleepsForAMomentAndWaitsForAnotherEvent() async {
    await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          await delay(Double(number) * 0.001)
          try? await Task.sleep(for: .nanoseconds(1))  // real time: measured
          await delay(0.2)
        }
      }
    }
  }

  private func delay(_ seconds: Double) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { continuation.resume() }
    }
  }
}

@Suite(.serialized) struct InterruptedCases {
  @Test(arguments: [1, 2]) func crashesInItsSecondCase(case number: Int) {
    Thread.sleep(forTimeInterval: 0.02)  // real time: measured
    if number == 2 { abort() }
  }
}

private func sleepBriefly() {
  Thread.sleep(forTimeInterval: 0.02)  // real time: would be measured
}

@Suite struct MeasuredExits {
  @Test func waitsForAnotherProcess() async {
    await #expect(processExitsWith: .success) { sleepBriefly() }
  }
}
