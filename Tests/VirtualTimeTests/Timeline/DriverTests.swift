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

  @Test func `who leaves wakes the one that has waited longest`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let (first, second) = (try waits(driver.enter(2)), try waits(driver.enter(3)))
    #expect(driver.leave() === first)
    _ = driver.enter(2)
    #expect(driver.leave() === second)
  }

  @Test func `who leaves a nested drive wakes nobody`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    #expect(driver.leave() == nil)
    #expect(driver.leave() === turn)
  }

  @Test func `who is woken too late to hear it has its turn all the same`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    _ = driver.leave()
    // Its patience ends here. Gave it up now, the wake-up would be lost on those behind it.
    guard case .called = driver.giveUp(turn) else { throw Unexpected() }
  }

  @Test func `who gives up is not woken`() throws {
    var driver = Driver()
    _ = driver.enter(1)
    let turn = try waits(driver.enter(2))
    guard case .occupied(nil) = driver.giveUp(turn) else { throw Unexpected() }
    #expect(driver.leave() == nil)
  }
}
