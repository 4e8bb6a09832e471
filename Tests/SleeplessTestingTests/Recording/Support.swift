import Observation
import SleeplessTesting
import VirtualTime

/// The states of a screen, as a test of a view model sees them.
enum Screen: Equatable, Sendable {
  case initial
  case loading
  case loaded(String)
  case failed(Trouble)
}

enum Trouble: Error, Equatable {
  case offline
  case signedOut
}

/// Equal to nothing, and prints like every other one.
struct Unequal: Equatable, Sendable, CustomStringConvertible {
  static func == (a: Unequal, b: Unequal) -> Bool { false }
  var description: String { "Unequal" }
}

@Observable final class Counter {
  var count = 0
  var step = 1
}

extension HangTimeout {
  /// Lets every wait in the code end after a millisecond of silence.
  static func shortly(
    isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
  ) async {
    await $shortened.withValue(.milliseconds(1), operation: body)
  }
}
