// virtual time: the poller sleeps in a simulation
import SleeplessTesting

/// A day of a poller under virtual time. The poller was not written for tests.
struct DayOfAPoller: Chapter {
  let title = "A day of a poller's life"

  func run(showing progress: ProgressLine) async -> [String] {
    progress.show("running the day a hundred times")
    let clock = ContinuousClock()
    var times: [Duration] = []
    var polls = 0
    for _ in 0..<100 {
      let start = clock.now
      polls = await day()
      times.append(clock.now - start)
    }
    progress.clear()
    let median = times.sorted()[times.count / 2]
    return [
      "A poller asks every five minutes, with Task.sleep. No clock is injected.",
      "The test lets a day go by and counts.",
      "",
      "a day      86,400 s of virtual time, \(polls) polls",
      "here       \(median.text), the median of \(times.count) days",
    ]
  }

  /// Returns the number of polls.
  private func day() async -> Int {
    let poller = Poller()
    let count = try? await simulate {
      let polling = Task { try await poller.run() }
      try await Task.sleep(for: .seconds(86_400 + 1))
      polling.cancel()
      return await poller.count
    }
    return count ?? 0
  }
}

/// Ordinary production code.
private actor Poller {
  private(set) var count = 0

  func run() async throws {
    while true {
      try await Task.sleep(for: .seconds(300))
      count += 1
    }
  }
}
