/// Members in the order in which they joined. Joining costs O(1), amortised, leaving O(log n).
struct Roster<Member> {
  // Invariant: `numbers` ascends; members[i] joined as numbers[i], or is nil since it left.
  private var numbers: ContiguousArray<UInt64> = []
  private(set) var members: ContiguousArray<Member?> = []
  private var vacancies = 0

  var count: Int { members.count - vacancies }

  /// Adds a member under a number that is higher than every one before.
  mutating func join(_ member: Member, as number: UInt64) {
    numbers.append(number)
    members.append(member)
  }

  /// Removes and returns the member with this number.
  mutating func leave(_ number: UInt64) -> Member? {
    let index = self.index(of: number)
    guard index < numbers.count, numbers[index] == number else { return nil }
    guard let member = members[index].take() else { return nil }
    vacancies += 1
    if vacancies == members.count {
      self = Roster()
    } else if vacancies > 16, vacancies > members.count / 2 {
      compact()
    }
    return member
  }

  /// How many places are taken up by those who joined under a lower number.
  func index(of number: UInt64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func compact() {
    var kept = Roster()
    for (number, member) in zip(numbers, members) {
      if let member { kept.join(member, as: number) }
    }
    self = kept
  }
}
