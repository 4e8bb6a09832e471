// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import XCTest

actor Purse {
  private(set) var balance = 100

  /// Looks, asks somebody else, and takes: in between others may have taken.
  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task.yield()
    balance -= amount
  }
}

func spendTwice() async -> Int {
  let purse = Purse()
  async let first: Void = purse.withdraw(80)
  async let second: Void = purse.withdraw(80)
  _ = await (first, second)
  return await purse.balance
}

@Suite struct ExploreTests {
  @Test func `S7 a failing schedule comes with a line that replays it`() async throws {
    let line = #line + 3
    let failures = await failures {
      _ = try? await explore {
        #expect(await spendTwice() >= 0)
      }
    }
    #expect(failures.map(\.line) == [line, line - 1])
    let text = try #require(failures.last?.text)
    let replay = try #require(text.firstMatch(of: /explore\(replay: "([^"]+)"\)/)?.1)
    let again = await again {
      _ = try? await explore(replay: String(replay)) { #expect(await spendTwice() >= 0) }
    }
    #expect(again.count == 2)
  }
}

private func again(of body: () async -> Void) async -> [Failure] { await failures(of: body) }
