#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A number that threads may read and write at any time. What was done before it was written has
/// been done for whoever reads it.
///
/// It takes a whole word, also where a byte would do: beside a byte stays what was in memory before, and
/// a search for what holds an object, which does not know what such a value is made of, would take
/// that for a reference if the object's address ends in the same byte.
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
