/// Random delays in nanoseconds from a range, the same in every run.
public func delays(_ count: Int, in range: Range<Int64>) -> [Int64] {
  var generator = SplitMix64(state: 2026)
  return (0..<count).map { _ in .random(in: range, using: &generator) }
}

/// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
private struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
