/// The address of an object as the key of a dictionary.
///
/// The bits are inverted, so that a search of memory for references to the object does not find its address
/// in the dictionary.
struct AddressKey: Hashable {
  private let bits: UInt

  @_transparent
  init(_ address: UnsafeRawPointer) { bits = ~UInt(bitPattern: address) }

  @_transparent
  static func == (one: Self, other: Self) -> Bool { one.bits == other.bits }

  func hash(into hasher: inout Hasher) { hasher.combine(bits) }

  /// The hash that dictionaries use. Without this function it would be that of `hash(into:)`, which withstands keys
  /// chosen by an attacker. Nobody chooses addresses, and with that hash a schedule costs 6 % more
  /// (`Benchmarks/simulation`, release).
  ///
  /// It multiplies by 2⁶⁴ divided by the golden ratio and takes the upper bits (Knuth, The Art of Computer
  /// Programming 3, 6.4).
  @_transparent
  func _rawHashValue(seed: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(bits) &* 0x9E37_79B9_7F4A_7C15) &>> 32)
  }
}
