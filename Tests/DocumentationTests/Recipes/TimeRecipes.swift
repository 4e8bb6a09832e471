// virtual time: what sleeps here does so in simulations
import Dispatch
import Foundation
import SleeplessTesting
import TestSupport
import Testing

/// The recipes of Recipes.md about code that waits.
enum TimeRecipes {
  @Suite(.needs(.capture)) struct Polling {
    func waitUntilDone(_ status: () async throws -> String) async throws {
      while try await status() != "done" {
        try await Task.sleep(for: .seconds(30))
      }
    }

    @Test(.simulated) func `the status is asked for every thirty seconds`() async throws {
      let status = Stub<Void, String>("status")
      status.inTurn(.value("queued"), .value("running"), .value("done"))
      try await waitUntilDone { try await status() }
      #expect(Simulation.current?.now == .seconds(60))
    }
  }

  @Suite(.needs(.capture)) struct Debounce {
    @MainActor final class SearchBox {
      private(set) var queries: [String] = []
      private var pending: Task<Void, any Error>?

      func type(_ text: String) {
        pending?.cancel()
        pending = Task {
          try await Task.sleep(for: .milliseconds(300))
          queries.append(text)
        }
      }
    }

    @MainActor
    @Test(.simulated) func `a query is sent after a pause in the typing`() async throws {
      let box = SearchBox()
      box.type("h")
      try await Task.sleep(for: .milliseconds(200))
      box.type("ha")
      await settle()
      #expect(box.queries == ["ha"])
      #expect(Simulation.current?.now == .milliseconds(500))
    }
  }

  @Suite struct Throttle {
    @Test func `a click counts at most once a second`() {
      let scheduler = TestScheduler()
      let clicks = EventSubject<Int, Never>()
      let counted = Recorder(
        clicks.throttle(for: .seconds(1), scheduler: scheduler, latest: false),
        time: .of(scheduler))
      clicks.send(1)
      scheduler.advance(by: .milliseconds(400))
      clicks.send(2)
      clicks.send(3)
      scheduler.advance(by: .seconds(1))
      counted.expect(marbles: "1 1s 2")
    }
  }

  @Suite(.needs(.capture)) struct Retry {
    struct Offline: Error {}

    func retry<Value>(
      upTo attempts: Int, _ operation: () async throws -> Value
    ) async throws -> Value {
      var pause = Duration.seconds(1)
      for _ in 1..<attempts {
        if let value = try? await operation() { return value }
        try await Task.sleep(for: pause)
        pause *= 2
      }
      return try await operation()
    }

    @Test(.simulated) func `the pauses are one and two seconds`() async throws {
      let fetch = Stub<Void, String>("fetch")
      fetch.inTurn(.error(Offline()), .error(Offline()), .value("Hello"))
      let answer = try await retry(upTo: 3) { try await fetch() }
      #expect(answer == "Hello")
      #expect(Simulation.current?.now == .seconds(3))
    }
  }

  @Suite(.needs(.dates)) struct Cache {
    actor PriceCache {
      private var price: (value: Int, date: Date)?
      private let fetch: @Sendable () async throws -> Int

      init(fetch: @escaping @Sendable () async throws -> Int) { self.fetch = fetch }

      func current() async throws -> Int {
        if let price, Date().timeIntervalSince(price.date) < 60 { return price.value }
        let value = try await fetch()
        price = (value, Date())
        return value
      }
    }

    @Test(.simulated) func `a price is kept for a minute`() async throws {
      let fetch = Stub<Void, Int>("fetch")
      fetch.inTurn(.value(10), .value(12))
      let cache = PriceCache { try await fetch() }

      #expect(try await cache.current() == 10)
      try await Task.sleep(for: .seconds(59))
      #expect(try await cache.current() == 10)
      try await Task.sleep(for: .seconds(2))
      #expect(try await cache.current() == 12)
    }
  }

  @Suite(.needs(.capture)) struct ClockTimer {
    @MainActor final class Countdown {
      private(set) var left = 10

      func run(on clock: any Clock<Duration> = ContinuousClock()) async throws {
        for try await _ in clock.timer(every: .seconds(1)) {
          left -= 1
          if left == 0 { return }
        }
      }
    }

    @MainActor
    @Test(.simulated) func `the countdown takes ten seconds`() async throws {
      let countdown = Countdown()
      try await countdown.run()
      #expect(countdown.left == 0)
      #expect(Simulation.current?.now == .seconds(10))
    }
  }

  @Suite(.needs(.queues), .needs(.runLoops), .needs(.clocks)) struct LegacyClass {
    @MainActor final class TownModel {
      private(set) var forecast = ""
      private(set) var updates = 0
      private let fetch: @Sendable (String) -> String
      private var town = ""
      private var pending: DispatchWorkItem?
      private var timer: Timer?

      init(fetch: @escaping @Sendable (String) -> String) { self.fetch = fetch }

      func type(_ town: String) {
        self.town = town
        pending?.cancel()
        let item = DispatchWorkItem { MainActor.assumeIsolated { self.load() } }
        pending = item
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(300), execute: item)
      }

      func refreshEachMinute() {
        timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
          MainActor.assumeIsolated { self.load() }
        }
      }

      func stop() { timer?.invalidate() }

      private func load() {
        DispatchQueue.global().async { [fetch, town] in
          let forecast = fetch(town)
          DispatchQueue.main.async {
            guard town == self.town else { return }
            self.forecast = forecast
            self.updates += 1
          }
        }
      }
    }

    @Sendable func forecast(of town: String) -> String {
      let answered = DispatchSemaphore(value: 0)
      let deadline = DispatchTime.now() + (town == "Rome" ? 2 : 1)
      DispatchQueue.global().asyncAfter(deadline: deadline) { answered.signal() }
      answered.wait()
      return "sun in \(town)"
    }

    @MainActor
    @Test(.simulated) func `a forecast is refreshed each minute`() async throws {
      let model = TownModel(fetch: forecast)
      model.type("O")
      model.type("Oslo")
      await settle()
      #expect(model.forecast == "sun in Oslo")
      #expect(Simulation.current?.now == .milliseconds(1300))

      model.refreshEachMinute()
      try await Task.sleep(for: .seconds(3605))
      model.stop()
      #expect(model.updates == 61)
    }

    @MainActor
    @Test(.explored) func `the latest town's forecast is shown in each order`() async throws {
      let model = TownModel(fetch: forecast)
      model.type("Rome")
      try await Task.sleep(for: .seconds(1))
      model.type("Oslo")
      await settle()
      #expect(model.forecast == "sun in Oslo")
    }
  }
}
