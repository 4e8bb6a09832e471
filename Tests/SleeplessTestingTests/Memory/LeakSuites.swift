import RetainGraph
import Testing

/// The suites that run the leaks of the catalogue: one after another, because some leaks use static variables.
@Suite(.serialized, PatientSearchTrait()) enum LeakSuites {}

/// Gives each search of memory as much processor time as it takes. A search that is given up says less, and on a busy
/// machine, under ThreadSanitizer, the usual 250 ms are not always enough.
struct PatientSearchTrait: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await RetainPathSearch.$budget.withValue(.seconds(10)) { try await function() }
  }
}
