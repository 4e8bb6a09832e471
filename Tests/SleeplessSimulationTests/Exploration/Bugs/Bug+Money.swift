/// Checks and changes with an `await` in between.
extension Bug {
  static let money = [
    Bug("double spend", "A second payment is checked before the first has been booked.") {
      let wallet = Wallet(100)
      try await spendTwice { await wallet.pay($0) }
      let balance = await wallet.balance
      try check(balance >= 0, "the balance is \(balance)")
    } fixed: {
      let wallet = Wallet(100)
      try await spendTwice { await wallet.payAtOnce($0) }
      let balance = await wallet.balance
      try check(balance >= 0, "the balance is \(balance)")
    },
    Bug("lost update", "A sum is read before an await and written after it.") {
      let account = Account()
      try await depositTwice { await account.deposit($0) }
      let cents = await account.cents
      try check(cents == 30, "\(cents) cents of 30")
    } fixed: {
      let account = Account()
      try await depositTwice { await account.depositConverted($0) }
      let cents = await account.cents
      try check(cents == 30, "\(cents) cents of 30")
    },
    Bug("wrong audit", "The audit's sum is wrong, but only when everything has been booked.") {
      try await audit { ledger in ledger.opening - ledger.deposited - ledger.withdrawn }
    } fixed: {
      try await audit { ledger in ledger.opening + ledger.deposited - ledger.withdrawn }
    },
    Bug(
      "quota", "Reaching the limit counts as exceeding it, and only a check at the end sees that."
    ) {
      let used = Box(0)
      try await together([
        { try check(await used.value < 3, "the quota is used up") },
        { await used.change { $0 += 1 } },
        { await used.change { $0 += 2 } },
      ])
    } fixed: {
      let used = Box(0)
      try await together([
        { try check(await used.value <= 3, "the quota is used up") },
        { await used.change { $0 += 1 } },
        { await used.change { $0 += 2 } },
      ])
    },
  ]

  private actor Wallet {
    private(set) var balance: Int
    private let bank = Box<[Int]>([])

    init(_ balance: Int) { self.balance = balance }

    func pay(_ price: Int) async {
      guard balance >= price else { return }
      await bank.change { $0.append(price) }
      balance -= price
    }

    func payAtOnce(_ price: Int) async {
      guard balance >= price else { return }
      balance -= price
      await bank.change { $0.append(price) }
    }
  }

  private static func spendTwice(_ pay: @escaping @Sendable (Int) async -> Void) async throws {
    let (menu, order) = (Box(["cake": 60]), Box<[String]>([]))
    try await both {
      await pay(60)
    } _: {
      let price = await menu.value["cake"]!
      await order.change { $0.append("cake") }
      await pay(price)
    }
  }

  private actor Account {
    private(set) var cents = 0
    private let rates = Box(10)

    func deposit(_ coins: Int) async {
      cents = await cents + coins * rates.value
    }

    func depositConverted(_ coins: Int) async {
      let converted = await coins * rates.value
      cents += converted
    }
  }

  private static func depositTwice(
    _ deposit: @escaping @Sendable (Int) async -> Void
  ) async throws {
    let purse = Box([1, 2])
    try await both {
      await deposit(1)
    } _: {
      let coins = await purse.value.last!
      await purse.set([])
      await deposit(coins)
    }
  }

  private struct Ledger {
    var (opening, deposited, withdrawn) = (100, 0, 0)
    var balance = 100
    var isComplete: Bool { deposited > 0 && withdrawn > 0 }
  }

  private static func audit(_ expected: @escaping @Sendable (Ledger) -> Int) async throws {
    let ledger = Box(Ledger())
    try await together([
      {
        let ledger = await ledger.value
        guard ledger.isComplete else { return }
        try check(ledger.balance == expected(ledger), "\(ledger.balance) in the books")
      },
      { await ledger.change { ($0.deposited, $0.balance) = (40, $0.balance + 40) } },
      { await ledger.change { ($0.withdrawn, $0.balance) = (70, $0.balance - 70) } },
    ])
  }
}
