// virtual time: everything here runs in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import SleeplessTesting
import XCTest

#if os(Linux)
  /// Pipelines in XCTest's tests, which wait for them on the main thread, with nothing injected.
  final class CombineTestCaseTests: SimulatedTestCase {
    private let log = PipelineLog()
    private let subject = PassthroughSubject<String, Never>()

    func testATestSettles() {
      log.follow(subject.debounce(for: .milliseconds(300), scheduler: DispatchQueue.main.ocombine))
      subject.send("a")
      XCTAssertEqual(log.lines, [])
      settle()
      XCTAssertEqual(log.lines, ["a at 0.3 seconds"])
    }

    func testATestAdvances() {
      log.follow(subject.debounce(for: .milliseconds(300), scheduler: RunLoop.main.ocombine))
      subject.send("a")
      Simulation.advance(by: .milliseconds(299))
      subject.send("b")
      Simulation.advance(by: .milliseconds(299))
      XCTAssertEqual(log.lines, [])
      Simulation.advance(by: .milliseconds(1))
      XCTAssertEqual(log.lines, ["b at 0.599 seconds"])
    }

    func testASinkFulfillsAnExpectation() {
      let arrived = expectation(description: "a value")
      let queue = DispatchQueue(label: "values")
      log.follow(
        Just("a").delay(for: .seconds(5), scheduler: queue.ocombine)
          .receive(on: DispatchQueue.main.ocombine)
          .handleEvents(receiveOutput: { _ in arrived.fulfill() }))
      wait(for: [arrived], timeout: 10)
      XCTAssertEqual(Simulation.current?.now, .seconds(5))
      XCTAssertEqual(log.lines.first, "a at 5.0 seconds")
    }

    func testAnExpectationThatNoValueFulfills() {
      let arrived = expectation(description: "no value")
      arrived.isInverted = true
      log.follow(
        subject.debounce(for: .seconds(5), scheduler: OperationQueue.main.ocombine)
          .handleEvents(receiveOutput: { _ in arrived.fulfill() }))
      subject.send("a")
      wait(for: [arrived], timeout: 4)
      XCTAssertEqual(Simulation.current?.now, .seconds(4))
    }

    func testARunOfTheRunLoopDelivers() {
      log.follow(
        Timer.publish(every: 10, on: .main, in: .common).autoconnect().map { _ in "tick" }
          .delay(for: .seconds(2), scheduler: RunLoop.current.ocombine))
      RunLoop.main.run(until: Date() + 25)
      XCTAssertEqual(log.lines, ["tick at 12.0 seconds", "tick at 22.0 seconds"])
      log.cancel()
    }

    func testASemaphoreWaitsForASink() {
      let arrived = DispatchSemaphore(value: 0)
      log.follow(
        Just("a").delay(for: .seconds(5), scheduler: DispatchQueue.global().ocombine)
          .handleEvents(receiveOutput: { _ in arrived.signal() }))
      arrived.wait()
      XCTAssertEqual(Simulation.current?.now, .seconds(5))
    }

    @MainActor func testAnAsynchronousTestAwaitsAValue() async {
      for await value in Just("a").delay(for: .seconds(5), scheduler: RunLoop.main.ocombine).values
      {
        log.note(value)
      }
      XCTAssertEqual(log.lines, ["a at 5.0 seconds"])
    }
  }
#endif
