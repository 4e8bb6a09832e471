import Sleepless

/// A random number generator that gives the same numbers for the same seed, on every platform.
///
/// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
@usableFromInline package struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  package init(seed: UInt64) { state = seed }

  @inlinable @_transparent package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number from zero up to `bound`, which must be positive and is not included.
  ///
  /// `Int.random(in:using:)` is generic, and in a debug build that costs fifteen times as much. The
  /// upper half of a product favours some numbers by `bound` in 2^64, too little to notice:
  /// D. Lemire, "Fast random integer generation in an interval", 2019, section 3.
  @inlinable @_transparent package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
