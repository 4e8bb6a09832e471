import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct OrderPollerTests {
  let scheduler: TestScheduler
  let service: OrderServiceMock
  let poller: OrderPoller

  init() {
    scheduler = TestScheduler()
    service = OrderServiceMock(scheduler: scheduler)
    poller = OrderPoller(service: service, scheduler: scheduler)
  }

  @Test func `the poller asks at once and then every 30 seconds`() {
    poller.start(order: 7)
    scheduler.advance(by: .seconds(90))
    #expect(service.orders == [7, 7, 7, 7])
    #expect(service.instants == [.seconds(0), .seconds(30), .seconds(60), .seconds(90)])
    poller.stop()
  }

  @Test func `the latest status is shown`() {
    poller.start(order: 7)
    scheduler.advance()
    #expect(poller.status == .packing)
    service.status = .onItsWay
    scheduler.advance(by: .seconds(30))
    #expect(poller.status == .onItsWay)
    poller.stop()
  }

  @Test func `after stopping no work is left`() {
    poller.start(order: 7)
    scheduler.advance(by: .seconds(45))
    poller.stop()
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `the poller stops by itself when the order is delivered`() {
    service.status = .delivered
    poller.start(order: 7)
    scheduler.run()
    #expect(poller.status == .delivered)
    #expect(service.instants == [.zero])
  }

  @Test func `an answer that arrives after stopping is dropped`() {
    poller.start(order: 7)
    // Runs after the request, which is due now, and before the answer, which needs one more queue
    // hop.
    scheduler.async { MainActor.assumeIsolated { poller.stop() } }
    scheduler.run()
    #expect(service.orders == [7])
    #expect(poller.status == nil)
  }

  @Test func `starting with another order drops the first`() {
    poller.start(order: 7)
    poller.start(order: 8)
    scheduler.advance()
    #expect(service.orders == [8])
    poller.stop()
  }

  @Test func `a released poller does not poll`() {
    var poller: OrderPoller? = OrderPoller(service: service, scheduler: scheduler)
    poller?.start(order: 7)
    poller = nil
    #expect(scheduler.pending.isEmpty)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the system may be 3 seconds late, and delays do not add up`(seed: UInt64) {
    let scheduler = TestScheduler(jitter: .seeded(seed))
    let service = OrderServiceMock(scheduler: scheduler)
    let poller = OrderPoller(service: service, scheduler: scheduler)
    poller.start(order: 7)
    scheduler.advance(by: .seconds(3 + 30 * 9))
    poller.stop()
    #expect(service.instants.count == 10)
    for (tick, instant) in service.instants.enumerated() {
      let lateness = instant - .seconds(30 * tick)
      #expect(lateness >= .zero && lateness <= .seconds(3))
    }
  }
}
