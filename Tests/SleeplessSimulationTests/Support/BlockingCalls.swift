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

/// What code outside does whose call was under way when the simulation began: the call goes past the
/// stand-ins, and tells no simulation. On Linux only, where Dispatch's classes hold C's objects.
enum PastStandIns {
  static func signal(_ semaphore: DispatchSemaphore) {
    call("dispatch_semaphore_signal", semaphore)
  }

  static func leave(_ group: DispatchGroup) { call("dispatch_group_leave", group) }

  private static func call(_ name: String, _ object: Any) {
    typealias Function = @convention(c) (OpaquePointer) -> Int
    // The next definition after this program's, which is Dispatch's own.
    let next = UnsafeMutableRawPointer(bitPattern: -1)
    let function = unsafeBitCast(dlsym(next, name), to: Function.self)
    _ = function(objectOfC(object))
  }
}

/// The object of C that an object of Dispatch's classes holds.
private func objectOfC(_ object: Any) -> OpaquePointer {
  Mirror(reflecting: object).descendant("__wrapped") as! OpaquePointer
}

extension DispatchQueue {
  /// The queue for functions of C that Swift does not show.
  var object: OpaquePointer { objectOfC(self) }
}
