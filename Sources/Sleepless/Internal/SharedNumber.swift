import CAtomics

/// A number that threads may read and write at any time: writes release, and reads acquire.
package struct SharedNumber: ~Copyable, @unchecked Sendable {
  // Unchecked because of the number. It is read and written only by atomic operations.
  private let number: UnsafeMutablePointer<UInt>

  package init(_ value: UInt) {
    // The allocator has no smaller block than three words. The search for retain paths reads all of a
    // block, and old contents could look like a reference to an object.
    number = .allocate(capacity: 3)
    number.initialize(repeating: 0, count: 3)
    number.pointee = value
  }

  deinit { number.deallocate() }

  package var value: UInt { sleepless_load(number) }

  package func set(_ value: UInt) { sleepless_store(number, value) }

  /// Writes `new` if the number is `old`, and returns whether it was.
  func replace(_ old: UInt, with new: UInt) -> Bool { sleepless_replace(number, old, new) }
}
