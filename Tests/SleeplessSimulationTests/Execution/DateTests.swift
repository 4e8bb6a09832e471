// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// Foundation's dates show the virtual time of a simulation (S10).
@Suite(.needs(.dates)) struct DateTests {
  /// The dates that each way to read the date gives now.
  @Sendable private static func readings() -> [Date] {
    let zero = Date(timeIntervalSinceReferenceDate: 0)
    return [
      Date(), Date.now, Date(timeIntervalSinceNow: 0),
      Date(timeIntervalSinceReferenceDate: Date.timeIntervalSinceReferenceDate),
      Date(timeIntervalSinceReferenceDate: -zero.timeIntervalSinceNow),
    ]
  }

  @Test func `S10 dates move with virtual time, and stand still with it`() async throws {
    let outcome = await Simulation.run {
      let before = Self.readings()
      try await Task.sleep(for: .seconds(3600))
      return (before, Self.readings())
    }
    let (before, after) = try #require(try outcome.result?.get())
    #expect(Set(before).count == 1)
    #expect(Set(after).count == 1)
    // A date is exact to a tenth of a microsecond.
    #expect(abs(after[0].timeIntervalSince(before[0]) - 3600) < 1e-6)
  }

  @Test func `the first date of a simulation is the real one, rounded up to 512ths of a second`()
    async throws
  {
    let before = Date()
    let outcome = await Simulation.run { Date() }
    let first = try #require(try outcome.result?.get())
    #expect(before <= first && first <= Date() + 1.0 / 512)
    let count = first.timeIntervalSinceReferenceDate * 512
    #expect(count == count.rounded())
  }

  // Without the rounding, the sum below was rounded otherwise at about every second start.
  @Test func `S1 a date that was computed comes at the same time in each run`() async throws {
    var ends: Set<Duration> = []
    for _ in 1...100 {
      let outcome = await Simulation.run { () -> Duration in
        let deadline = Date() + 0.3
        try await Task.sleep(for: .milliseconds(200))
        try await Task.sleep(for: .seconds(deadline.timeIntervalSinceNow))
        return Simulation.current!.now
      }
      ends.insert(try #require(try outcome.result?.get()))
    }
    #expect(ends.count == 1)
  }

  @Test func `an entry of a cache expires by its date`() async throws {
    let outcome = await Simulation.run {
      let cache = Cache(lifetime: 60)
      cache.store("value")
      try await Task.sleep(for: .seconds(59))
      let young = cache.value
      try await Task.sleep(for: .seconds(2))
      return (young, cache.value)
    }
    let (young, old) = try #require(try outcome.result?.get())
    #expect(young == "value")
    #expect(old == nil)
  }

  @Test func `S4 code outside simulations sees real dates meanwhile`() async throws {
    let outcome = await Simulation.run {
      _ = Date()
      try await Task.sleep(for: .seconds(86_400))
      let inside = Date()
      let outside = try await Simulation.current!.outside { Date() }
      return inside.timeIntervalSince(outside)
    }
    let difference = try #require(try outcome.result?.get())
    #expect(difference > 86_000)
  }

  private final class Cache {
    private let lifetime: TimeInterval
    private var entry: (value: String, stored: Date)?

    init(lifetime: TimeInterval) { self.lifetime = lifetime }

    var value: String? {
      entry.flatMap { -$0.stored.timeIntervalSinceNow < lifetime ? $0.value : nil }
    }

    func store(_ value: String) { entry = (value, Date()) }
  }
}
