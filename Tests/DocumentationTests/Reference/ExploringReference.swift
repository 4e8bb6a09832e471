// virtual time: everything here runs in simulations
import SleeplessTesting
import TestSupport
import Testing
import XCTest

/// The examples on the pages of explorations.
@Suite(.needs(.capture)) struct ExploringReference {
  @Test func `an exploration is counted`() async throws {
    let exploration = try await explore(strategy: .exhaustive) {
      async let first: Void = Task.yield()
      async let second: Void = Task.yield()
      _ = await (first, second)
    }
    #expect(exploration.isComplete && exploration.distinct == exploration.schedules)
    print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
    #expect(
      "\(exploration)"
        == "all \(exploration.schedules) schedules of the strategy explored, none failed")
  }

  @Test func `objects are released in each schedule`() async throws {
    let exploration = try await explore(schedules: 20) {
      let upload = Simulation.expectRelease(of: Upload())
      async let sent: Void = upload.send("a photo")
      await sent
    }
    #expect(exploration.failed == 0)  // a task that kept the upload would fail a schedule
  }

  @Test(.explored) func `the second withdrawal is refused`() async {
    let account = Account(balance: 100)
    async let first: Void = account.withdraw(80)
    async let second: Void = account.withdraw(80)
    _ = await (first, second)
    #expect(await account.balance == 20)  // in each of a thousand schedules
  }

  @Test(.explored(schedules: 200, strategy: .pct(depth: 2)))
  func `the account is never overdrawn`() async {
    let account = Account(balance: 100)
    async let first: Void = account.withdraw(80)
    async let second: Void = account.withdraw(80)
    _ = await (first, second)
    #expect(await account.balance >= 0)
  }

  @Test(.explored(schedules: 20)) func `a die shows one to six`() {
    var numbers = Simulation.randomNumbers()
    let die = Int.random(in: 1...6, using: &numbers)
    #expect((1...6).contains(die))  // the same number in each replay
  }

  @Test(.simulated) func `copies share one sequence of numbers`() {
    let numbers = Simulation.randomNumbers()
    let copy = numbers
    #expect(numbers.next() != copy.next())  // the first number and the second
  }

  @Test func `settings of explorations`() {
    let settings = ExplorationSettings(schedules: 10_000, seed: 7)
    #expect(settings.schedules == 10_000)
  }

  @Test func `strategies explore orders`() async throws {
    do {
      let exploration = try await explore(schedules: 20, strategy: .portfolio) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .firstCome) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .uniform) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .pct(depth: 3)) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .pos) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .remainingWork) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .delayBounded(2)) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
    do {
      let exploration = try await explore(schedules: 20, strategy: .wokenFirst) {
        async let first: Void = Task.yield()
        async let second: Void = Task.yield()
        _ = await (first, second)
      }
      #expect(exploration.failed == 0)
    }
  }

  @Test func `each order is explored once`() async throws {
    let orders = Recorder<[Int], Never>("orders")
    let exploration = try await explore(strategy: .exhaustive(switches: 1)) {
      let log = Recorder<Int, Never>("log")
      async let first: Void = log.record(1)
      async let second: Void = log.record(2)
      _ = await (first, second)
      orders.record(log.all())
    }
    #expect(exploration.isComplete && Set(orders.all()) == [[1, 2], [2, 1]])
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class AccountTests: ExploredTestCase {
    override var explorationSettings: ExplorationSettings {
      ExplorationSettings(schedules: 50)  // instead of a thousand, for each test of the case
    }

    func testAWithdrawalIsComplete() async {
      let account = Account(balance: 100)
      await account.withdraw(80)
      let balance = await account.balance
      XCTAssertEqual(balance, 20)
    }
  }
#endif

private actor Account {
  private(set) var balance: Int

  init(balance: Int) { self.balance = balance }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    balance -= amount
    await Task.yield()
  }
}

private final class Upload: Sendable {
  func send(_ photo: String) async { for _ in photo { await Task.yield() } }
}
