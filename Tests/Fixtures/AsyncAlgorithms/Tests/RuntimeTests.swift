import Runtime
import SleeplessTesting
import Testing

@Test(.simulated) func `a target called Runtime builds where SourceLines is off`() async throws {
  try await Task.sleep(for: .seconds(3600))  // real time: none, the test is simulated
  #expect(isOfThisPackage)
}
