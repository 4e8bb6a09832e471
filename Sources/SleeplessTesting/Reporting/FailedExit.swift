import Foundation
import Sleepless

/// Makes the process end with a non-zero status when a failure could only be printed.
enum FailedExit {
  private struct State {
    var isRequired = false
    var isExiting = false
  }

  private static let state = Locked(State())

  private static let handler: Void = {
    atexit {
      let isRequired = state.withLock { state in
        state.isExiting = true
        return state.isRequired
      }
      if isRequired { endProcess() }
    }
  }()

  /// Registers the exit handler. Cheap after the first time.
  static func prepare() { handler }

  /// Whether the process has begun to exit, after which frameworks count no failures.
  static var isExiting: Bool { state.withLock { $0.isExiting } }

  /// Lets the process run to its end, but exit with a non-zero status.
  static func require() {
    let isExiting = state.withLock { state in
      state.isRequired = true
      return state.isExiting
    }
    if isExiting { endProcess() }
  }

  /// Ends the process with a non-zero status if its exit has begun.
  static func enforceIfExiting() {
    if isExiting { endProcess() }
  }

  private static func endProcess() -> Never {
    // Calling `exit` while exiting is undefined; `_exit` leaves out the flushing that `exit` does.
    fflush(nil)
    _exit(EXIT_FAILURE)
  }
}
