import Dispatch
import ExampleApp
import Foundation
import SleeplessTesting

/// One test of one view model, written in two ways and run often, on an idle and on a busy machine.
struct SleepingOrNot: Chapter {
  let title = "Sleeping or not"

  private let runs = 200
  /// For each of the two parts that sleep: keeps the tour within fifteen seconds on a slow machine.
  private let limit = Duration.seconds(3)

  func run(showing progress: ProgressLine) async -> [String] {
    progress.show("asking the service for its usual latency")
    let latency = await usualLatency()
    let wait = latency * 2

    var sleeping: [Measure] = []
    var sleepless: [Measure] = []
    for state in ["idle", "busy"] {
      let load = state == "busy" ? Load() : nil
      sleeping.append(
        await measure { run in
          if run.isMultiple(of: 10) { progress.show("sleeping, \(state): \(run) of \(runs)") }
          return await testBySleeping(wait)
        })
      sleepless.append(await measure { _ in testBySleepless(wait, latency: latency) })
      load?.stop()
    }
    progress.clear()

    let ratios = zip(sleeping, sleepless).map { ($0.time / $0.runs) / ($1.time / $1.runs) }
    return [
      "A view model loads a profile. The test waits a little: is the user there?",
      "",
      "sleeping   real service, \(RemoteService.network.text) of network and \(RemoteService.size) "
        + "of JSON: usually \(latency.text);",
      "           the test sleeps twice that, \(wait.text)",
      "Sleepless  mock that answers after \(latency.text) of virtual time, decoding nothing;",
      "           the test advances \(wait.text)",
      "",
      "\(runs) runs each, one after another; busy: \(Load.threads) threads spin on "
        + "\(Load.cores) cores:",
      "",
      row("", ["idle", "wrong", "busy", "wrong"]),
      row("sleeping", sleeping.flatMap(\.columns)),
      row("Sleepless", sleepless.flatMap(\.columns)),
      "",
      "Sleepless was about \(ratios[0].roundedText) times as fast when idle and "
        + "\(ratios[1].roundedText) times when busy.",
    ]
  }

  // MARK: The two tests

  private func testBySleeping(_ wait: Duration) async -> Bool {
    let model = ProfileViewModel(service: RemoteService())
    model.load(id: User.ada.id)
    try? await Task.sleep(for: wait)  // real time: sleeping is what is measured here
    return !model.isLoading && model.user == .ada
  }

  private func testBySleepless(_ wait: Duration, latency: Duration) -> Bool {
    let scheduler = TestScheduler()
    let service = ScheduledService(latency: latency, scheduler: scheduler)
    let model = ProfileViewModel(service: service, mainQueue: scheduler)
    model.load(id: User.ada.id)
    scheduler.advance(by: wait)
    return !model.isLoading && model.user == .ada
  }

  // MARK: Measuring

  private struct Measure {
    let time: Duration
    let wrong: Int
    let runs: Int

    var columns: [String] { [time.text, "\(wrong) of \(runs)"] }
  }

  private func measure(_ test: (_ run: Int) async -> Bool) async -> Measure {
    let start = ContinuousClock.now
    var wrong = 0
    var run = 0
    while run < runs, start.duration(to: .now) < limit {
      run += 1
      if await !test(run) { wrong += 1 }
    }
    return Measure(time: start.duration(to: .now), wrong: wrong, runs: run)
  }

  /// The median of some calls, in tenths of a millisecond.
  private func usualLatency() async -> Duration {
    var latencies: [Duration] = []
    for _ in 0..<21 {
      let start = ContinuousClock.now
      await withCheckedContinuation { continuation in
        RemoteService().fetchUser(id: User.ada.id) { _ in continuation.resume() }
      }
      latencies.append(start.duration(to: .now))
    }
    return .microseconds(100) * Int((latencies.sorted()[10] / .microseconds(100)).rounded(.up))
  }

  private func row(_ name: String, _ columns: [String]) -> String {
    name.padded(to: -9) + columns.map { $0.padded(to: 12) }.joined()
  }
}

extension User {
  fileprivate static let ada = User(id: 1, name: "Ada")
}

/// Finds the user in a list from the network, and decodes the list on a background queue.
private struct RemoteService: ProfileService {
  private struct Person: Codable {
    let id: Int
    let name: String
    let mail: String
  }

  static let network = Duration.milliseconds(2)
  static var size: String { "\(list.count / 1000) kB" }

  private static let list = try! JSONEncoder().encode(
    (1...2000).map { id in
      Person(id: id, name: id == User.ada.id ? User.ada.name : "N. N.", mail: "\(id)@example.org")
    })

  func fetchUser(
    id: Int, completion: @escaping @Sendable (Result<User, ProfileError>) -> Void
  ) {
    // real time: this stands for the network.
    DispatchQueue.global().schedule(after: Self.network) { [list = Self.list] in
      let people = (try? JSONDecoder().decode([Person].self, from: list)) ?? []
      let user = people.first { $0.id == id }.map { User(id: $0.id, name: $0.name) }
      completion(user.map { .success($0) } ?? .failure(.notFound))
    }
  }
}

/// Answers after a virtual delay.
private struct ScheduledService: ProfileService {
  let latency: Duration
  let scheduler: TestScheduler

  func fetchUser(
    id: Int, completion: @escaping @Sendable (Result<User, ProfileError>) -> Void
  ) {
    scheduler.schedule(after: latency) { completion(.success(.ada)) }
  }
}
