/// Takes the money.
actor Bank {
  private(set) var payments = 0

  func charge() { payments += 1 }
}

/// Sells the tickets of one show.
actor BoxOffice {
  private(set) var tickets: Int
  private let bank: Bank

  init(tickets: Int, bank: Bank) {
    self.tickets = tickets
    self.bank = bank
  }

  /// Returns false if no ticket is left.
  func sell() async -> Bool {
    guard tickets > 0 else { return false }
    tickets -= 1
    await bank.charge()
    return true
  }
}
