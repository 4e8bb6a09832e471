#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A number that threads may read and write at any time. What was done before it was written has
/// been done for whoever reads it.
struct SharedByte: ~Copyable, Sendable {
  #if canImport(Darwin)
    // `Atomic` needs macOS 15.
    private let byte: OSAllocatedUnfairLock<UInt8>

    init(_ value: UInt8) { byte = OSAllocatedUnfairLock(initialState: value) }

    var value: UInt8 { byte.withLock { $0 } }

    func set(_ value: UInt8) { byte.withLock { $0 = value } }

    /// Writes `new` if the number is `old`, and returns whether it was.
    func replace(_ old: UInt8, with new: UInt8) -> Bool {
      byte.withLock { byte in
        guard byte == old else { return false }
        byte = new
        return true
      }
    }
  #else
    private let byte: Atomic<UInt8>

    init(_ value: UInt8) { byte = Atomic(value) }

    var value: UInt8 { byte.load(ordering: .acquiring) }

    func set(_ value: UInt8) { byte.store(value, ordering: .releasing) }

    /// Writes `new` if the number is `old`, and returns whether it was.
    func replace(_ old: UInt8, with new: UInt8) -> Bool {
      byte.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
  #endif
}
