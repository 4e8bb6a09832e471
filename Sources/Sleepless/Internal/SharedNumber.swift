#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A number that threads may read and write at any time: writes release, and reads acquire.
///
/// It takes a whole word, even where a byte would do. The search for retain paths does not know the
/// layout of this type and reads whole words. Beside a byte, old contents of the memory remain, and
/// together with the byte they could look like a reference to an object.
package struct SharedNumber: ~Copyable, Sendable {
  #if canImport(Darwin)
    // `Atomic` needs macOS 15.
    private let number: OSAllocatedUnfairLock<UInt>

    package init(_ value: UInt) { number = OSAllocatedUnfairLock(initialState: value) }

    package var value: UInt { number.withLock { $0 } }

    package func set(_ value: UInt) { number.withLock { $0 = value } }

    /// Writes `new` if the number is `old`, and returns whether it was.
    func replace(_ old: UInt, with new: UInt) -> Bool {
      number.withLock { number in
        guard number == old else { return false }
        number = new
        return true
      }
    }
  #else
    private let number: Atomic<UInt>

    package init(_ value: UInt) { number = Atomic(value) }

    package var value: UInt { number.load(ordering: .acquiring) }

    package func set(_ value: UInt) { number.store(value, ordering: .releasing) }

    /// Writes `new` if the number is `old`, and returns whether it was.
    func replace(_ old: UInt, with new: UInt) -> Bool {
      number.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing)
        .exchanged
    }
  #endif
}
