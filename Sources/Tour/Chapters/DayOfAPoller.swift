// virtual time: the poller sleeps in a simulation
import SleeplessTesting

/// A day of a poller that nobody prepared for tests, under virtual time.
struct DayOfAPoller: Chapter {
  let title = "A day of a poller's life"

  func tell(showing progress: ProgressLine) async -> [String] {
    progress.show("living the day a hundred times")
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
      "A poller asks every five minutes, with Task.sleep: no clock is injected, no line is changed.",
      "The test lets a day go by and counts.",
      "",
      "a day      86,400 s of virtual time, \(polls) polls",
      "here       \(median.text), the median of \(times.count) days",
    ]
  }

  /// Returns how often it asked.
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

/// Code as it comes.
private actor Poller {
  private(set) var count = 0

  func run() async throws {
    while true {
      try await Task.sleep(for: .seconds(300))
      count += 1
    }
  }
}
