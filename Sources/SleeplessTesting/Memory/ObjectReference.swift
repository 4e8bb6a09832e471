import CRuntimeHooks
import Sleepless

/// Knows whether an object is still there, and never keeps it alive.
///
/// On Linux it holds the object's memory, as an unowned reference does, so that the address means
/// this object and no other for as long as the witness asks. A weak reference would do the same, but
/// to look at it is to hold the object for a moment, in which the last other holder may let go.
/// Elsewhere it is a weak reference.
final class ObjectReference: @unchecked Sendable {
  // Unchecked because of the weak reference, which only the runtime writes.

  #if os(Linux)
    // Turned around, so that no search finds the object here.
    private let hidden: UInt

    init(_ object: AnyObject) {
      let pointer = Unmanaged.passUnretained(object).toOpaque()
      sleepless_hold_memory(pointer)
      hidden = ~UInt(bitPattern: pointer)
    }

    deinit { sleepless_release_memory(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Where the object lies, or lay.
    var address: UInt { ~hidden }

    /// Whether its `deinit` has begun.
    var isGone: Bool { sleepless_is_going(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Whether it is never freed: the compiler may lay out constants in the program's data.
    var isImmortal: Bool { sleepless_is_immortal(UnsafeMutableRawPointer(bitPattern: address)) }
  #else
    private weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }

    var address: UInt { 0 }
    var isGone: Bool { object == nil }
    var isImmortal: Bool { false }
  #endif
}
