import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  /// Code that stops the program outside a simulation stops it inside too.
  @Suite(.wholeProcess, .oneProcess, .timeLimit(.minutes(10))) struct IsolationProcessTests {
    @Test func `code without isolation may not assume the main actor`() async {
      await #expect(processExitsWith: .failure) {
        _ = await Simulation.run {
          await MainActor.run {}
          MainActor.preconditionIsolated()
        }
      }
    }

    @Test func `code on the main actor may not assume another actor`() async {
      await #expect(processExitsWith: .failure) {
        _ = await Simulation.run { @MainActor in
          Other.shared.preconditionIsolated()
        }
      }
    }

    @Test func `code may assume the actor that it runs on`() async {
      await #expect(processExitsWith: .success) {
        _ = await Simulation.run { @MainActor in
          MainActor.preconditionIsolated()
          await Other.shared.check()
        }
      }
    }

    private actor Other {
      static let shared = Other()

      func check() { preconditionIsolated() }
    }
  }
#endif
