/// A hash table from addresses of objects to pointers.
///
/// Each step of a simulation looks up several addresses. The standard library's dictionary is generic, and
/// in a debug build generic code asks the runtime for types at each call.
///
/// Open addressing with linear probing; D. E. Knuth, The Art of Computer Programming, volume 3,
/// section 6.4, algorithms L and R. The table doubles when it is half full.
struct AddressTable: ~Copyable {
  struct Slot {
    /// Zero if the slot is empty. See `key(of:)`.
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

  /// The address with its bits mixed, so that the upper bits depend on all bits. Each address has its own
  /// key, because the factor is odd. A search of memory for references to the object does not find its
  /// address here.
  @_transparent
  private static func key(of address: UnsafeRawPointer) -> UInt {
    #if _pointerBitWidth(_64)
      UInt(bitPattern: address) &* 0x9E37_79B9_7F4A_7C15
    #else
      UInt(bitPattern: address) &* 0x9E37_79B1
    #endif
  }

  @_transparent
  private func home(of key: UInt) -> Int { Int(bitPattern: key &>> (UInt.bitWidth &- 24)) & mask }

  /// The slot of an address, valid until the next change; nil if the address is not in the table.
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

  /// Adds an address, which must not be in the table yet.
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

  /// Removes an address by its slot; other slots may move.
  @_transparent
  mutating func remove(_ slot: UnsafeMutablePointer<Slot>) {
    var hole = slot - slots
    var index = hole
    while true {
      index = (index &+ 1) & mask
      if slots[index].key == 0 { break }
      // The slot may fill the hole unless its home lies behind the hole.
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
