// virtual time: everything here runs in simulations
#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import Sleepless
  import SleeplessTesting
  import XCTest

  /// Tests that cannot go on, one after another, each in its own way.
  class HangingTests: SimulatedTestCase {
    // Each test counts in its own way: the optimiser takes loops that are the same for one.
    private var turns = 0

    override var simulationSettings: SimulationSettings {
      SimulationSettings(stepLimit: 1000, timeLimit: .seconds(7200))
    }

    override func tearDown() async throws {
      try await Task.sleep(for: .seconds(3600))  // MARK: tear down
      print("torn down")
    }

    func testSpins() async {
      while !Task.isCancelled {
        await Task.yield()  // MARK: spins
        turns += 1
      }
    }

    func testSpinsForEver() async {
      while true {
        await Task.yield()  // MARK: spins for ever
        turns += 2
      }
    }

    func testHangs() async throws {
      for await _ in AsyncStream<Never>(unfolding: { await hang() }) {}  // MARK: hangs
      try Task.checkCancellation()
    }

    func testHangsForEver() async {
      await hangForEver()  // MARK: hangs for ever
    }

    func testSleepsTooLong() async throws {
      try await Task.sleep(for: .seconds(7201))  // MARK: sleeps too long
    }

    func testSettles() {
      let spinning = Task {
        while !Task.isCancelled { await Task.yield() }
      }
      settle()  // MARK: settles
      print("the rest ran, cancelled: \(spinning.isCancelled)")
    }

    func testAdvances() {
      Task { while true { await Task.yield() } }
      Simulation.advance(by: .seconds(1))  // MARK: advances
    }

    func testLeavesTaskSpinning() {
      Task { while !Task.isCancelled { await Task.yield() } }
    }

    func testGoesOn() async throws {
      abandoned.withLock { $0.take() }?.resume()
      try await Task.sleep(for: .seconds(3600))
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testSpins", asyncTest(testSpins)), ("testSpinsForEver", asyncTest(testSpinsForEver)),
          ("testHangs", asyncTest(testHangs)), ("testHangsForEver", asyncTest(testHangsForEver)),
          ("testSleepsTooLong", asyncTest(testSleepsTooLong)), ("testSettles", testSettles),
          ("testAdvances", testAdvances), ("testLeavesTaskSpinning", testLeavesTaskSpinning),
          ("testGoesOn", asyncTest(testGoesOn)),
        ])
      ]
    }
  }

  class HangingSetUpTests: SimulatedTestCase {
    override func setUp() async throws {
      await hangForEver()  // MARK: hanging set up
    }

    func testAfterSetUp() { print("ran after setUp") }

    static var cells: [XCTestCaseEntry] { [testCase([("testAfterSetUp", testAfterSetUp)])] }
  }

  /// Waits until the task is cancelled.
  private func hang() async -> Never? {
    let (nothing, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    withExtendedLifetime(end) {}
    return nil
  }

  /// Waits for what comes in another test at best, whether the task is cancelled or not.
  @MainActor private func hangForEver() async {
    await withUnsafeContinuation { continuation in abandoned.withLock { $0 = continuation } }
    print("an abandoned test ran on")
  }

  private let abandoned = Locked<UnsafeContinuation<Void, Never>?>(nil)
#endif
