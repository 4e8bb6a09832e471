import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  /// Code that stops the program outside a simulation stops it inside too.
  @Suite(.wholeProcess, .oneProcess, .timeLimit(.minutes(10))) struct IsolationProcessTests {
    @Test func `code that is nobody's may not assume the main actor`() async {
      await #expect(processExitsWith: .failure) {
        _ = await Simulation.run {
          await MainActor.run {}
          MainActor.preconditionIsolated()
        }
      }
    }

    @Test func `code of the main actor's may not assume another`() async {
      await #expect(processExitsWith: .failure) {
        _ = await Simulation.run { @MainActor in
          Other.shared.preconditionIsolated()
        }
      }
    }

    @Test func `the same process ends well where the assumption is right`() async {
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
