// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// The examples of documentation comments and articles about explored tests. Their bugs are repaired
/// here, so that they pass.
@Suite struct ExploringExamples {
  @Test func exploring() async throws {
    try await explore {
      let account = BankAccount(balance: 100)
      async let first: Void = account.withdraw(80)
      async let second: Void = account.withdraw(80)
      _ = await (first, second)
      // Fails if withdraw suspends between its check and its change.
      #expect(await account.balance == 20)
    }
  }

  @Test(.explored) func `two rents are not paid from one purse`() async {
    let purse = Purse(content: 100)
    async let first: Void = purse.pay(80)
    async let second: Void = purse.pay(80)
    _ = await (first, second)
    #expect(await purse.content >= 0)
  }

  @Test(.explored) func moneyIsNeverOwed() async {
    let ledger = Ledger(balance: 100)
    Simulation.invariant("nothing is owed") { ledger.balance >= 0 }
    async let rent: Void = ledger.pay(60)
    async let food: Void = ledger.pay(60)
    _ = await (rent, food)
  }

  @Test(.needs(.capture)) func cancelling() async throws {
    try await exploreCancellation {
      let upload = Simulation.expectRelease(of: Upload())
      try await upload.send("a photo")
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class PurseTests: ExploredTestCase {
    private let purse = Purse(content: 100)

    func testTwoRentsAreNotPaidFromOnePurse() async {
      let purse = purse
      async let first: Void = purse.pay(80)
      async let second: Void = purse.pay(80)
      _ = await (first, second)
      let content = await purse.content
      XCTAssertGreaterThanOrEqual(content, 0)
    }
  }

  final class RentTests: ExploredTestCase {
    private let purse = Purse(content: 100)

    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 2_000) }

    func testTwoRentsAreNotPaidFromOnePurse() async {
      await withTaskGroup { [purse] group in
        for _ in 1...2 { group.addTask { await purse.pay(80) } }
      }
      let content = await purse.content
      XCTAssertGreaterThanOrEqual(content, 0)
    }
  }
#endif

private actor BankAccount {
  private(set) var balance: Int

  init(balance: Int) { self.balance = balance }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    balance -= amount
    await Task.yield()
  }
}

private actor Purse {
  private(set) var content: Int

  init(content: Int) { self.content = content }

  func pay(_ amount: Int) async {
    guard content >= amount else { return }
    content -= amount
    await Task.yield()
  }
}

private final class Ledger: Sendable {
  private let money: Locked<Int>

  init(balance: Int) { money = Locked(balance) }

  var balance: Int { money.withLock { $0 } }

  func pay(_ amount: Int) async {
    await Task.yield()
    money.withLock { if $0 >= amount { $0 -= amount } }
  }
}

private final class Upload: Sendable {
  func send(_ photo: String) async throws {
    for _ in photo { try await Task.sleep(for: .seconds(1)) }
  }
}
