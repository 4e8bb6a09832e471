/// What is known of objects, by their addresses: a hash table without types.
///
/// Simulations ask it several times a step. The standard library's dictionary is generic, and in a debug
/// build what is generic asks the runtime for types all the time.
///
/// Open addressing with linear probing; D. E. Knuth, The Art of Computer Programming, volume 3,
/// section 6.4, algorithms L and R. The table doubles when it is half full.
struct AddressTable: ~Copyable {
  struct Slot {
    /// Zero if nothing is here. See `key(of:)`.
    fileprivate(set) var key: UInt
    var value: UnsafeMutableRawPointer?
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask = 15
  private(set) var count = 0

  init() { slots = Self.makeSlots(16) }

  deinit { slots.deallocate() }

  private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(key: 0, value: nil), count: count)
    return slots
  }

  /// The address, mixed: its upper bits depend on all of them. Each address has a key of its own, as
  /// the factor is odd. Nor does the table look as if it held what it is asked for, to whoever
  /// searches memory for that.
  @_transparent
  private static func key(of address: UnsafeRawPointer) -> UInt {
    UInt(bitPattern: address) &* 0x9E37_79B9_7F4A_7C15
  }

  @_transparent
  private func home(of key: UInt) -> Int { Int(bitPattern: key &>> 40) & mask }

  /// Where the value of an address is, until the next change; nil if there is none.
  @_transparent
  func find(_ address: UnsafeRawPointer) -> UnsafeMutablePointer<Slot>? {
    let key = Self.key(of: address)
    var index = home(of: key)
    while slots[index].key != key {
      if slots[index].key == 0 { return nil }
      index = (index &+ 1) & mask
    }
    return slots + index
  }

  /// Adds an address that must not be there yet.
  @_transparent
  mutating func insert(_ address: UnsafeRawPointer, _ value: UnsafeMutableRawPointer?) {
    if count &* 2 > mask { grow() }
    put(Slot(key: Self.key(of: address), value: value))
    count &+= 1
  }

  @_transparent
  private func put(_ slot: Slot) {
    var index = home(of: slot.key)
    while slots[index].key != 0 { index = (index &+ 1) & mask }
    slots[index] = slot
  }

  /// Removes an address by its slot; others may move.
  @_transparent
  mutating func remove(_ slot: UnsafeMutablePointer<Slot>) {
    var hole = slot - slots
    var index = hole
    while true {
      index = (index &+ 1) & mask
      if slots[index].key == 0 { break }
      // It may fill the hole unless its home lies behind that.
      let distance = (index &- home(of: slots[index].key)) & mask
      if distance >= (index &- hole) & mask {
        slots[hole] = slots[index]
        hole = index
      }
    }
    slots[hole] = Slot(key: 0, value: nil)
    count &-= 1
  }

  private mutating func grow() {
    let old = slots
    let oldCount = mask + 1
    slots = Self.makeSlots(2 * oldCount)
    mask = 2 * oldCount - 1
    for index in 0..<oldCount where old[index].key != 0 { put(old[index]) }
    old.deallocate()
  }

  /// All values, in no particular order.
  var values: [UnsafeMutableRawPointer?] {
    UnsafeBufferPointer(start: slots, count: mask + 1).filter { $0.key != 0 }.map(\.value)
  }
}
