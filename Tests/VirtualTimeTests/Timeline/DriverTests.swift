import Dispatch
import Sleepless
import Testing
import VirtualTime

@Suite struct DriverTests {
  private func waits(_ decision: Driver.Decision) throws -> DispatchSemaphore {
    guard case .wait(let turn) = decision else { throw Unexpected() }
    return turn
  }

  private struct Unexpected: Error {}

  @Test func `the driver that leaves wakes the thread that has waited longest`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let (first, second) = (try waits(driver.enter(2)), try waits(driver.enter(3)))
    #expect(driver.leave() === first)
    _ = driver.enter(2)
    #expect(driver.leave() === second)
  }

  @Test func `leaving a nested drive wakes no thread`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    #expect(driver.leave() == nil)
    #expect(driver.leave() === turn)
  }

  @Test func `a thread whose turn comes as it gives up has its turn`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    _ = driver.leave()
    // Its timeout ends here. If it gave up now, the threads behind it would never be woken.
    guard case .turnHasCome = driver.giveUp(turn) else { throw Unexpected() }
  }

  @Test func `a thread that has given up is not woken`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    guard case .occupied(nil) = driver.giveUp(turn) else { throw Unexpected() }
    #expect(driver.leave() == nil)
  }
}
