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
    let used = failures.map { $0.text.prefix { $0 != "\n" && $0 != "." } }
    #expect(
      used == ["it was used: now, which sleep(for:) reads too", "it was used: minimumResolution"])
  }

  @Test func `an unimplemented stand-in that is not used does not fail`() {
    _ = UnimplementedScheduler()
    _ = UnimplementedClock()
  }
}
