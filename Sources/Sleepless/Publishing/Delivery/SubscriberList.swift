/// Members in the order in which they joined. Joining costs O(1), amortised, leaving O(log n).
struct SubscriberList<Member> {
  // Invariant: `numbers` ascends; members[i] joined as numbers[i], or is nil since it left.
  private var numbers: ContiguousArray<UInt64> = []
  private(set) var members: ContiguousArray<Member?> = []
  private var vacancies = 0
  private var latestNumber: UInt64 = 0

  var count: Int { members.count - vacancies }

  /// Adds a member and returns the number under which it can leave; never zero.
  mutating func join(_ member: Member) -> UInt64 {
    latestNumber += 1
    numbers.append(latestNumber)
    members.append(member)
    return latestNumber
  }

  /// Removes and returns the member with this number, if it is there.
  mutating func leave(_ number: UInt64) -> Member? {
    guard let index = index(of: number), let member = members[index].take() else { return nil }
    vacancies += 1
    if vacancies == members.count || (vacancies > 16 && vacancies > members.count / 2) {
      closeGaps()
    }
    return member
  }

  private func index(of number: UInt64) -> Int? {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < numbers.count && numbers[low] == number ? low : nil
  }

  private mutating func closeGaps() {
    var kept = 0
    for index in members.indices where members[index] != nil {
      members.swapAt(index, kept)
      numbers[kept] = numbers[index]
      kept += 1
    }
    members.removeSubrange(kept...)
    numbers.removeSubrange(kept...)
    vacancies = 0
  }
}
