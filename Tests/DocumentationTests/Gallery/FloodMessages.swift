// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// A test of FailureMessages.md with a failure after the ten that are shown.
@Suite(.needs(.capture), .failsAsShown(after: 10)) struct EleventhMessages {
  @Test(.simulated) func `eleven calls have no answer`() {
    let user = Stub<Int, String>("user")
    for id in 1...11 { _ = try? user.now(id) }
  }
}

/// A test of FailureMessages.md with a failure after those ten and the one that counts the others.
@Suite(.needs(.capture), .failsAsShown(after: 11)) struct TwelfthMessages {
  @Test(.simulated) func `a loop goes on after each failure`() async {
    let user = Stub<Int, String>("user")
    Task(name: "poller") {
      while !Task.isCancelled {
        _ = try? user.now(7)
        try? await Task.sleep(for: .seconds(1))
      }
    }
    await settle()
  }
}
