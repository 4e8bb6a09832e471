// virtual time: everything here runs in simulations
import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// The examples of documentation comments and articles about simulated tests.
@Suite struct SimulationExamples {
  @Test(.needs(.capture)) func simulating() async throws {
    try await simulate {
      let heart = Heart()
      let beating = Task { try await heart.beat(every: .seconds(60)) }
      try await Task.sleep(for: .seconds(3601))
      #expect(await heart.beats == 60)
      beating.cancel()
    }
  }

  @Test(.simulated) func livingOn() async {
    let heart = Heart()
    await Simulation.background { _ = Task { try await heart.beat(every: .seconds(60)) } }
  }
}

@Suite(.needs(.queues)) struct DispatchQueueExamples {
  @MainActor
  @Test(.simulated) func `only the last text is searched`() async {
    let search = SearchField()
    search.type("a")
    search.type("ab")
    await settle()
    #expect(search.searched == ["ab"])
    #expect(Simulation.current?.now == .milliseconds(300))
  }
}

/// Waits for a pause in the typing.
@MainActor final class SearchField {
  private var pending: DispatchWorkItem?
  private(set) var searched: [String] = []

  func type(_ text: String) {
    pending?.cancel()
    let item = DispatchWorkItem { MainActor.assumeIsolated { self.searched.append(text) } }
    pending = item
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(300), execute: item)
  }
}

/// Something with a timer that nothing controls.
private actor Heart {
  private(set) var beats = 0

  func beat(every interval: Duration) async throws {
    while true {
      try await Task.sleep(for: interval)
      beats += 1
    }
  }
}

/// A message that goes away by itself.
private final class Banner: Sendable {
  private let shown = Locked<String?>(nil)

  var text: String? { shown.withLock { $0 } }

  func show(_ text: String) {
    shown.withLock { $0 = text }
    Task {
      try await Task.sleep(for: .seconds(3))
      shown.withLock { $0 = nil }
    }
  }
}

/// Calls back after a delay, until it is cancelled.
private final class Reminder: Sendable {
  private let task: Task<Void, any Error>

  init(after delay: Duration, _ remind: @escaping @Sendable (_ count: Int) -> Void) {
    task = Task {
      try await Task.sleep(for: delay)
      remind(1)
    }
  }

  func cancel() { task.cancel() }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class ReminderTests: SimulatedTestCase {
    func testAReminderComesAfterAnHour() async {
      let reminded = expectation(description: "reminded")
      let annoyed = expectation(description: "reminded twice")
      annoyed.isInverted = true
      let reminder = Reminder(after: .seconds(3600)) { count in
        if count == 1 { reminded.fulfill() } else { annoyed.fulfill() }
      }
      await fulfillment(of: [reminded, annoyed], timeout: 7200)
      reminder.cancel()
    }
  }

  final class BannerTests: SimulatedTestCase {
    func testABannerGoesAfterThreeSeconds() {
      let banner = Banner()
      banner.show("Saved")
      XCTAssertEqual(banner.text, "Saved")
      settle()
      XCTAssertNil(banner.text)
    }
  }
#endif
