// virtual time: for code in simulations
import Dispatch
import Foundation

// These functions are synchronous because asynchronous code must not call what they call.

func sleepThread(_ duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }

func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

func block(on semaphore: DispatchSemaphore, for duration: Duration) -> DispatchTimeoutResult {
  semaphore.wait(timeout: .now() + duration / .seconds(1))
}

/// The line of the wait below, as reports show it.
let lineOfGroupWait = #line + 1
func block(on group: DispatchGroup) { group.wait() }

func block(on group: DispatchGroup, for duration: Duration) -> DispatchTimeoutResult {
  group.wait(timeout: .now() + duration / .seconds(1))
}

extension DispatchGroup {
  static var entered: DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    return group
  }
}
