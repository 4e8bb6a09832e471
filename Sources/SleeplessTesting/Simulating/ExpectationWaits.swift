import Foundation
import SleeplessSimulation
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Lets XCTest's waits for expectations take virtual time in simulations.
  @available(macOS 15, *)
  enum ExpectationWaits {
    static func begin() {
      // XCTest's timer is due a quarter of a second after the timeout, at which the waiter itself ends.
      let framework = WaitingFramework(
        delay: .milliseconds(250),
        examine: {
          guard let (waiter, expectations) = wait else { return nil }
          return WaitingFramework.Knowledge(
            evaluate: { evaluate(expectations) }, silence: { waiter.delegate = nil })
        },
        wait: { timeout in
          let never = XCTestExpectation(description: "never")
          never.isInverted = true
          // real time: none, the sample ends the wait
          return XCTWaiter.wait(for: [never], timeout: timeout / .seconds(1)) == .completed
        })
      WaitingFramework.install(framework, ofClass: XCTWaiter.self)
    }

    /// The wait of this thread; nil if this XCTest stores it in another way.
    private static var wait: (waiter: XCTWaiter, expectations: [XCTestExpectation])? {
      guard let manager = Thread.current.threadDictionary["org.swift.XCTest.WaiterManager"],
        let waiters = Mirror(reflecting: manager).descendant("managedWaiterStack"),
        let latest = Mirror(reflecting: waiters).children.suffix(1).first?.value,
        let waiter = Mirror(reflecting: latest).descendant("waiter") as? XCTWaiter,
        let expectations = Mirror(reflecting: waiter)
          .descendant("state", "waiting", "state", "expectations") as? [XCTestExpectation]
      else { return nil }
      return (waiter, expectations)
    }

    /// Fulfills the expectations of predicates that are true now. Returns whether all expectations that are
    /// still unfulfilled are inverted ones.
    private static func evaluate(_ expectations: [XCTestExpectation]) -> Bool {
      for case let expectation as XCTNSPredicateExpectation in expectations
      where !isFulfilled(expectation) && expectation.predicate.evaluate(with: expectation.object) {
        if expectation.handler?() ?? true { expectation.fulfill() }
      }
      return expectations.allSatisfy { isFulfilled($0) || $0.isInverted }
    }

    private static func isFulfilled(_ expectation: XCTestExpectation) -> Bool {
      var mirror: Mirror? = Mirror(reflecting: expectation)
      while let found = mirror {
        if let isFulfilled = found.descendant("isFulfilled") as? Bool { return isFulfilled }
        mirror = found.superclassMirror
      }
      return false
    }
  }

  @section(".init_array") @used
  private let beginAtLoad: @convention(c) () -> Void = { ExpectationWaits.begin() }
#endif
