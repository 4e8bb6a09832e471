/// Members in the order in which they joined. `join` costs O(1), amortised. `leave` finds the member in
/// O(log n) and closes the gap in O(n).
struct SubscriberList<Member> {
  // Invariant: `numbers` ascends; members[i] joined as numbers[i].
  private var numbers: ContiguousArray<UInt64> = []
  private(set) var members: ContiguousArray<Member> = []
  private var latestNumber: UInt64 = 0

  /// Adds a member and returns its number for `leave`, which is never zero.
  mutating func join(_ member: Member) -> UInt64 {
    latestNumber += 1
    numbers.append(latestNumber)
    members.append(member)
    return latestNumber
  }

  /// Removes and returns the member with this number, if it is there.
  mutating func leave(_ number: UInt64) -> Member? {
    guard let index = index(of: number) else { return nil }
    numbers.remove(at: index)
    return members.remove(at: index)
  }

  private func index(of number: UInt64) -> Int? {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number ? low : nil
  }
}
