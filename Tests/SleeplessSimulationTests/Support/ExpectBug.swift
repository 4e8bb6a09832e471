import SleeplessSimulation
import Testing

/// Explores a program with its bug, which some schedule shows, and its twin without the bug, which gives the right
/// result in each schedule.
@available(macOS 15, *)
func expectBug<Result: Equatable & Sendable>(
  right: Result, sourceLocation: SourceLocation = #_sourceLocation,
  _ program: @escaping @Sendable (_ isRight: Bool) async -> Result
) async {
  for isRight in [false, true] {
    let (result, values) = await explored(.portfolio, schedules: 200, failing: { $0 != right }) {
      await program(isRight)
    }
    let text: Comment = "right: \(isRight), results: \(values)"
    #expect((result.failure == nil) == isRight, text, sourceLocation: sourceLocation)
  }
}
