import ExampleApp
import SleeplessTesting
import XCTest

// The tests are `async` because XCTest on Linux cannot call an isolated method otherwise.
@MainActor
final class OrderPollerXCTests: XCTestCase {
  func testThePollerAsksAtOnceAndThenEvery30Seconds() async {
    let (poller, service, scheduler) = make()
    poller.start(order: 7)
    await scheduler.advance(by: .seconds(90))
    XCTAssertEqual(service.orders, [7, 7, 7, 7])
    XCTAssertEqual(service.instants, [.seconds(0), .seconds(30), .seconds(60), .seconds(90)])
    poller.stop()
  }

  func testTheLatestStatusIsShown() async {
    let (poller, service, scheduler) = make()
    poller.start(order: 7)
    await scheduler.advance()
    XCTAssertEqual(poller.status, .packing)
    service.status = .onItsWay
    await scheduler.advance(by: .seconds(30))
    XCTAssertEqual(poller.status, .onItsWay)
    poller.stop()
  }

  func testAfterStoppingNoWorkIsLeft() async {
    let (poller, _, scheduler) = make()
    poller.start(order: 7)
    await scheduler.advance(by: .seconds(45))
    poller.stop()
    XCTAssertTrue(scheduler.pending.isEmpty)
  }

  func testThePollerStopsByItselfWhenTheOrderIsDelivered() async {
    let (poller, service, scheduler) = make()
    service.status = .delivered
    poller.start(order: 7)
    await scheduler.run()
    XCTAssertEqual(poller.status, .delivered)
    XCTAssertEqual(service.instants, [.zero])
  }

  func testAnAnswerThatArrivesAfterStoppingIsDropped() async {
    let (poller, service, scheduler) = make()
    poller.start(order: 7)
    // Runs after the request, which is due now, and before the answer, which needs one more queue
    // hop.
    scheduler.async { MainActor.assumeIsolated { poller.stop() } }
    await scheduler.run()
    XCTAssertEqual(service.orders, [7])
    XCTAssertNil(poller.status)
  }

  func testStartingWithAnotherOrderDropsTheFirst() async {
    let (poller, service, scheduler) = make()
    poller.start(order: 7)
    poller.start(order: 8)
    await scheduler.advance()
    XCTAssertEqual(service.orders, [8])
    poller.stop()
  }

  func testAReleasedPollerDoesNotPoll() async {
    let scheduler = TestScheduler()
    let service = OrderServiceMock(scheduler: scheduler)
    var poller: OrderPoller? = OrderPoller(service: service, scheduler: scheduler)
    poller?.start(order: 7)
    poller = nil
    XCTAssertTrue(scheduler.pending.isEmpty)
  }

  func testTheSystemMayBe3SecondsLateAndDelaysDoNotAddUp() async {
    for seed in 1...20 as ClosedRange<UInt64> {
      let (poller, service, scheduler) = make(jitter: .seeded(seed))
      poller.start(order: 7)
      await scheduler.advance(by: .seconds(3 + 30 * 9))
      poller.stop()
      XCTAssertEqual(service.instants.count, 10, "seed \(seed)")
      for (tick, instant) in service.instants.enumerated() {
        let lateness = instant - .seconds(30 * tick)
        XCTAssert(lateness >= .zero && lateness <= .seconds(3), "seed \(seed), \(lateness)")
      }
    }
  }

  private func make(
    jitter: TestScheduler.Jitter = .none
  ) -> (OrderPoller, OrderServiceMock, TestScheduler) {
    let scheduler = TestScheduler(jitter: jitter)
    let service = OrderServiceMock(scheduler: scheduler)
    return (OrderPoller(service: service, scheduler: scheduler), service, scheduler)
  }
}
