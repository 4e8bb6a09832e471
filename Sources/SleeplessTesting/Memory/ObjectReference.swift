import CRuntimeHooks
import Sleepless

/// A reference that tells whether an object is still alive and never keeps it alive.
///
/// On Linux it holds the object's memory, as an unowned reference does, so that no other object gets
/// the address. It is not a weak reference, because reading one retains the object for a moment. If the
/// last other holder releases the object in that moment, the check itself runs the `deinit`.
///
/// Elsewhere it is a weak reference all the same: an object of Objective-C has no other. While a check waits,
/// `ReleaseWatch` reads it on the main thread, where objects of a user interface may end.
final class ObjectReference: @unchecked Sendable {
  // Unchecked because of the weak reference, which only the runtime writes.

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
    // With inverted bits, so that a retain path search does not find the object here.
    private let hidden: UInt

    init(_ object: AnyObject) {
      let pointer = Unmanaged.passUnretained(object).toOpaque()
      sleepless_hold_memory(pointer)
      hidden = ~UInt(bitPattern: pointer)
    }

    deinit { sleepless_release_memory(UnsafeMutableRawPointer(bitPattern: address)) }

    /// The object's address, also after its end.
    var address: UInt { ~hidden }

    /// Whether its `deinit` has begun.
    var isGone: Bool { sleepless_is_deinitializing(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Whether it is never freed: the compiler may lay out constants in the program's data.
    var isImmortal: Bool { sleepless_is_immortal(UnsafeMutableRawPointer(bitPattern: address)) }
  #else
    private weak var object: AnyObject?
    /// Whether it is no object in memory: a short string or a small number, kept in the pointer itself.
    let isImmortal: Bool

    init(_ object: AnyObject) {
      self.object = object
      let bits = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      #if arch(x86_64) && os(macOS)
        isImmortal = bits & 1 != 0
      #elseif _pointerBitWidth(_64)
        isImmortal = bits.leadingZeroBitCount == 0
      #else
        isImmortal = false
      #endif
    }

    /// The object's address; 0 after its end.
    var address: UInt {
      object.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
    }
    var isGone: Bool { object == nil }
  #endif
}
