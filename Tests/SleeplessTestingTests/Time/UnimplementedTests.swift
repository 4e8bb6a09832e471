import Dispatch
import SleeplessTesting
import Testing
import TestSupport

@Suite struct UnimplementedTests {
  @Test func `every function of an unimplemented scheduler fails, each once`() {
    let failures = failures {
      let scheduler = UnimplementedScheduler("it")
      for seconds in 1...2 {
        _ = scheduler.now
        scheduler.async {}
        scheduler.schedule(after: .seconds(seconds)) {}
        scheduler.schedule(every: .seconds(seconds)) {}
        DispatchGroup().notify(queue: scheduler) {}
        #expect(scheduler.sync { 42 } == 42)
      }
    }
    let used = failures.map { $0.text.prefix { $0 != "\n" && $0 != "," && $0 != "." } }
    #expect(
      used == [
        "it was used: now", "it was used: async", "it was used: schedule(after: 1 s)",
        "it was used: schedule(every: 1 s)", "it was used: notify", "it was used: sync",
      ])
  }

  @Test func `work given to an unimplemented scheduler does not run`() {
    let log = Log<String>()
    _ = failures {
      let scheduler = UnimplementedScheduler()
      scheduler.async { log.append("ran") }
      scheduler.schedule(after: .zero) { log.append("ran") }.cancel()
    }
    #expect(log.values == [])
  }

  @Test
  func `every function of an unimplemented clock fails, a sleep with now, and a sleep throws`()
    async
  {
    let failures = await failures {
      let clock = UnimplementedClock("it")
      _ = clock.now
      _ = clock.minimumResolution
      await #expect(throws: UnimplementedClock.Used.self) {
        try await clock.sleep(until: VirtualInstant())
      }
    }
    let used = failures.map { $0.withoutCaller.text.prefix { $0 != "\n" && $0 != "." } }
    #expect(
      used == ["it was used: now, which sleep(for:) reads too", "it was used: minimumResolution"])
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && DEBUG
    @Test func `a forbidden call names its function, also one that waits for a sleep`() async {
      let line = Poller.line
      let texts = await failures {
        let poller = Poller(clock: UnimplementedClock())
        await poller.poll()
        await Poller(clock: UnimplementedClock()).pollForAWhile()
        poller.look()
      }.map(\.text)
      let others = [
        (
          "now, which sleep(for:) reads too",
          "pollForAWhile() at UnimplementedTests.swift:\(line + 1)"
        ),
        ("minimumResolution", "look() at UnimplementedTests.swift:\(line + 2)"),
      ].map { "UnimplementedClock was used: \($0), called in Poller.\($1)." }
      #expect(texts.first == FailureText.aForbiddenSleep(line: line))
      #expect(texts.dropFirst().map(\.firstLine) == others)
    }
  #endif

  @Test func `an unimplemented stand-in that is not used does not fail`() {
    _ = UnimplementedScheduler()
    _ = UnimplementedClock()
  }
}

/// Code that uses a clock although the test says that it does not.
private struct Poller {
  let clock: UnimplementedClock

  static let line = #line + 1
  func poll() async { try? await clock.sleep(until: VirtualInstant()) }
  func pollForAWhile() async { try? await clock.sleep(for: .seconds(1)) }
  func look() { _ = clock.minimumResolution }
}
