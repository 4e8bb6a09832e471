// virtual time: what yields here does so in simulations
import SleeplessSimulation
import SleeplessTesting

/// A bug that needs one order of two tasks is found, shrunk and replayed.
struct ThousandSchedules: Chapter {
  let title = "A thousand schedules"

  private let replays = 100

  func run(showing progress: ProgressLine) async -> [String] {
    let clock = ContinuousClock()
    let start = clock.now
    let explorer = await explore(showing: progress)
    let time = clock.now - start
    progress.clear()
    guard let failure = explorer.result.failure, let replay = try? ReplayString(failure.replay)
    else {
      return ["No order failed. Where tasks are not captured, few orders are tried."]
    }

    var wrong = 0
    for run in 1...replays {
      progress.show("replaying: \(run) of \(replays)")
      wrong += await explore(replay, showing: nil).result.failed
    }
    progress.clear()
    return [
      "A search model drops answers that are out of date, and then awaits once more.",
      "Two texts are typed, and the second one must win. In the usual order it does.",
      "",
      "found      schedule \(failure.schedule) is wrong; found and shrunk in \(time.text)",
      "shrunk     from \(count(failure.whole.switches)) to \(failure.shrunk.switches)",
      "replayed   \(replays) times with the string \(failure.replay): \(wrong) times wrong",
      "",
    ]
      + failure.shrunk.text(ending: failure.cause, width: 77).split(separator: "\n").map(
        String.init)
  }

  private func count(_ switches: Int) -> String {
    switches == 1 ? "1 switch" : "\(switches) switches"
  }

  /// Runs orders until one is wrong, or the one that the string replays.
  private func explore(_ replay: ReplayString? = nil, showing progress: ProgressLine?) async
    -> Explorer
  {
    let explorer = Explorer(ExplorationPlan(name: title, schedules: 1000, replay: replay))
    await Simulation.explore(explorer, typeTwoTexts) { outcome in
      switch explorer.progress {
      case .exploring(let schedule, let count): progress?.show("schedule \(schedule) of \(count)")
      case .shrinking(let run, _, let switches):
        progress?.show("shrinking: run \(run), \(switches) switches")
      }
      guard case .failure(let error) = outcome.result else { return .passed }
      return .failed(FailureCause(cause: "\(error)", key: ""))
    }
    // The shrunk schedule runs once more, for its steps.
    if let options = explorer.finalOptions() {
      _ = await Simulation.run(options, typeTwoTexts)
      explorer.finishFinal()
    }
    return explorer
  }

  private func typeTwoTexts() async throws {
    let model = SearchModel()
    let first = await model.type("sw")
    await Task.yield()
    let second = await model.type("swift")
    await first.value
    await second.value
    let shown = await model.shown
    if shown != "results of swift" { throw WrongResults(shown: shown) }
  }
}

private struct WrongResults: Error, CustomStringConvertible {
  let shown: String

  var description: String { "the screen shows the \(shown)" }
}

private actor SearchModel {
  private(set) var shown = ""
  private var latest = ""
  private let index = Index()

  func type(_ text: String) -> Task<Void, Never> {
    latest = text
    return Task(name: text) { await search(text) }
  }

  private func search(_ text: String) async {
    let found = await index.find(text)
    guard text == latest else { return }
    shown = await index.rank(found)
  }
}

private actor Index {
  func find(_ text: String) async -> String {
    await Task.yield()
    return "results of \(text)"
  }

  func rank(_ results: String) async -> String {
    await Task.yield()
    return results
  }
}
