// virtual time: everything here runs in simulations
#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import Foundation
  import Sleepless
  import SleeplessTesting
  import XCTest

  /// Tests that some schedule fails, and tests that end in other ways.
  class ExploredCaseTests: ExploredTestCase {
    private let purse = Purse()
    private var isSetUp = false

    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 20) }

    override func setUp() async throws {
      XCTAssertFalse(isSetUp)
      isSetUp = true
      try await Task.sleep(for: .seconds(1))
    }

    override func tearDown() async throws {
      try await Task.sleep(for: .seconds(1))
      if name.hasSuffix("testPasses") { print("torn down at \(Simulation.current?.now ?? .zero)") }
    }

    func testSpendsTwice() async {  // MARK: spends twice test
      let purse = purse
      async let first: Void = purse.pay(80)
      async let second: Void = purse.pay(80)
      _ = await (first, second)
      let content = await purse.content
      XCTAssertGreaterThanOrEqual(content, 0)  // MARK: spends twice
    }

    func testSpendsTwiceSynchronously() {  // MARK: synchronous test
      for _ in 1...2 { Task { [purse] in await purse.pay(80) } }
      settle()
      XCTAssertGreaterThanOrEqual(purse.latest.withLock { $0 }, 0)  // MARK: synchronously
    }

    func testSpendsTwiceOnQueues() {  // MARK: queues test
      let content = Locked(100)
      let group = DispatchGroup()
      for _ in 1...2 {
        DispatchQueue.global().async(group: group) {
          guard content.withLock({ $0 >= 80 }) else { return }
          Thread.sleep(forTimeInterval: 1)
          content.withLock { $0 -= 80 }
        }
      }
      group.wait()
      XCTAssertGreaterThanOrEqual(content.withLock { $0 }, 0)  // MARK: on queues
    }

    func testReadsBesideTheMainQueue() {  // MARK: main queue test
      let content = Locked(100)
      let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
      targeting.async {
        dispatchPrecondition(condition: .onQueue(targeting))
        content.withLock { $0 -= 160 }
      }
      Task {
        XCTAssertGreaterThanOrEqual(content.withLock { $0 }, 0)  // MARK: beside the main queue
      }
      settle()
    }

    func testSpendsTwiceInBlocks() {  // MARK: blocks test
      let content = Locked(100)
      for _ in 1...2 {
        DispatchQueue.global().async {
          guard content.withLock({ $0 >= 80 }) else { return }
          Thread.sleep(forTimeInterval: 1)
          content.withLock { $0 -= 80 }
          XCTAssertGreaterThanOrEqual(content.withLock { $0 }, 0)  // MARK: in a block
        }
      }
      settle()
    }

    func testWaitsInVain() async {  // MARK: waits in vain test
      let purse = purse
      let solvent = expectation(description: "solvent")
      Task {
        async let first: Void = purse.pay(80)
        async let second: Void = purse.pay(80)
        _ = await (first, second)
        if await purse.content >= 0 { solvent.fulfill() }
      }
      await fulfillment(of: [solvent], timeout: 3600)  // MARK: waits in vain
    }

    func testIsOverdrawn() {  // MARK: is overdrawn test
      let overdrawn = expectation(description: "overdrawn")
      overdrawn.isInverted = true
      for _ in 1...2 {
        Task { [purse] in
          await purse.pay(80)
          if await purse.content < 0 {
            overdrawn.fulfill()  // MARK: is overdrawn
          }
        }
      }
      wait(for: [overdrawn], timeout: 3600)
    }

    func testThrows() async throws {  // MARK: throws test
      let purse = purse
      async let first: Void = purse.pay(80)
      async let second: Void = purse.pay(80)
      _ = await (first, second)
      if await purse.content < 0 { throw Overdrawn() }
    }

    func testWaitsForEver() async {  // MARK: waits for ever test
      let purse = purse
      async let first: Void = purse.pay(80)
      async let second: Void = purse.pay(80)
      _ = await (first, second)
      guard await purse.content < 0 else { return }
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }  // MARK: waits
    }

    func testLeavesTask() async {  // MARK: leaves a task
      Task { try await Task.sleep(for: .seconds(60)) }
    }

    func testSkipsItself() async throws {
      try await Task.sleep(for: .seconds(1))
      throw XCTSkip("no purse")
    }

    func testPasses() async throws {
      try await Task.sleep(for: .seconds(1))
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testSpendsTwice", asyncTest(testSpendsTwice)),
          ("testSpendsTwiceSynchronously", testSpendsTwiceSynchronously),
          ("testSpendsTwiceOnQueues", testSpendsTwiceOnQueues),
          ("testReadsBesideTheMainQueue", testReadsBesideTheMainQueue),
          ("testSpendsTwiceInBlocks", testSpendsTwiceInBlocks),
          ("testWaitsInVain", asyncTest(testWaitsInVain)), ("testIsOverdrawn", testIsOverdrawn),
          ("testThrows", asyncTest(testThrows)), ("testWaitsForEver", asyncTest(testWaitsForEver)),
          ("testLeavesTask", asyncTest(testLeavesTask)),
          ("testSkipsItself", asyncTest(testSkipsItself)), ("testPasses", asyncTest(testPasses)),
        ])
      ]
    }
  }

  private actor Purse {
    let latest = Locked(100)
    private(set) var content = 100 {
      didSet { latest.withLock { [content] in $0 = content } }
    }

    func pay(_ amount: Int) async {
      guard content >= amount else { return }
      await Task.yield()
      content -= amount
    }
  }

  private struct Overdrawn: Error {}
#endif
