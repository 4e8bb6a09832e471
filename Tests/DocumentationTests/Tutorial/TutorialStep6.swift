// virtual time: what sleeps here does so in simulations
import Dispatch
import Sleepless
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Inject a scheduler".
@Suite enum TutorialStep6 {
  enum Fixed {
    #sourceLocation(file:"Reservation.swift",line:3)
    /// Holds a seat for ten minutes, or until it is paid.
    @MainActor
    final class Reservation {
      private(set) var isHeld = true
      private var isPaid = false

      init() {
        DispatchQueue.main.asyncAfter(deadline: .now() + 600) { [weak self] in
          MainActor.assumeIsolated { self?.expire() }
        }
      }

      func pay() { isPaid = true }

      private func expire() {
        if !isPaid { isHeld = false }
      }
    }
    #sourceLocation()
  }

  #sourceLocation(file:"Reservation.swift",line:4)
  /// Holds a seat for ten minutes, or until it is paid.
  @MainActor
  final class Reservation {
    private(set) var isHeld = true
    private var isPaid = false

    init(scheduler: any SchedulerType = DispatchQueue.main) {
      scheduler.asyncAfter(deadline: .now() + 600) { [weak self] in
        MainActor.assumeIsolated { self?.expire() }
      }
    }

    func pay() { isPaid = true }

    private func expire() {
      if !isPaid { isHeld = false }
    }
  }
  #sourceLocation()

  @Suite enum Injected {
    #sourceLocation(file:"ReservationTests.swift",line:6)
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
    #sourceLocation()
  }

  @Suite(.fails(as: "06-5-console.txt", in: "a paid seat needs no timer")) enum Paid {
    #sourceLocation(file:"ReservationTests.swift",line:6)
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

      @Test func `a paid seat needs no timer`() {
        let reservation = Reservation(scheduler: scheduler)
        reservation.pay()
        #expect(reservation.isHeld)
      }
    }
    #sourceLocation()
  }

  @Suite enum Repaired {
    #sourceLocation(file:"Reservation.swift",line:4)
    /// Holds a seat for ten minutes, or until it is paid.
    @MainActor
    final class Reservation {
      private(set) var isHeld = true
      private var expiry: (any CancellableType)?

      init(scheduler: any SchedulerType = DispatchQueue.main) {
        expiry = scheduler.schedule(after: .seconds(600)) { [weak self] in
          MainActor.assumeIsolated { self?.isHeld = false }
        }
      }

      func pay() { expiry?.cancel() }
    }
    #sourceLocation()

    #sourceLocation(file:"ReservationTests.swift",line:6)
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

      @Test func `a paid seat needs no timer`() {
        let reservation = Reservation(scheduler: scheduler)
        reservation.pay()
        #expect(reservation.isHeld)
      }
    }
    #sourceLocation()
  }
}
