import SleeplessTesting
import Testing

@testable import Tickets

@MainActor
@Suite(.checkedAtEnd) struct ReservationTests {
  let scheduler = TestScheduler()

  @Test func `a seat is held for ten minutes`() {
    let reservation = Reservation(scheduler: scheduler)
    scheduler.advance(by: .seconds(599))
    #expect(reservation.isHeld)
    scheduler.advance(by: .seconds(1))
    #expect(!reservation.isHeld)
  }
}
