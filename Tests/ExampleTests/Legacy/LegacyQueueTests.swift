import Dispatch
import ExampleApp
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import Testing

// virtual time: what sleeps is simulated

/// Code with queues of its own, to which nothing is injected.
@Suite(.needs(.queues)) struct LegacyQueueTests {
  // MARK: The readme's toast, with the main queue in place of a task

  @MainActor
  @Test(.needs(.clocks), .simulated) func `a toast goes away after three seconds`() async {
    let toast = QueueToast()
    toast.show("Saved")
    #expect(toast.text == "Saved")

    await settle()
    #expect(toast.text == nil)
    #expect(Simulation.current?.now == .seconds(3))
  }

  /// What is shown a second after a second toast, which comes when the first one goes.
  @MainActor private static func textAfterTwo(
    _ show: @MainActor (QueueToast, String) -> Void
  ) async throws -> String? {
    let toast = QueueToast()
    show(toast, "Saved")
    try await Task.sleep(for: .seconds(3))
    show(toast, "Sent")
    try await Task.sleep(for: .seconds(1))
    return toast.text
  }

  @MainActor @Test(.needs(.clocks))
  func `the end of a toast hides the next one, in some order`() async throws {
    try await withKnownIssue {
      try await explore {
        let text = try await Self.textAfterTwo { $0.show($1) }
        #expect(text == "Sent")
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @MainActor
  @Test(.needs(.clocks), .explored)
  func `the end of a toast hides no other one in any order`() async throws {
    #expect(try await Self.textAfterTwo { $0.showUntilNext($1) } == "Sent")
  }

  // MARK: A model with the main queue

  @MainActor
  @Test(.simulated) func `a forecast is shown when it has come`() async {
    let model = ForecastModel { city in
      Thread.sleep(forTimeInterval: 2)
      return "sun in \(city)"
    }
    model.show("Rome")
    #expect(model.isLoading)

    await settle()
    #expect(model.forecast == "sun in Rome")
    #expect(!model.isLoading)
    #expect(Simulation.current?.now == .seconds(2))
  }

  @MainActor @Test func `a late answer replaces a later one, in some order`() async throws {
    try await withKnownIssue {
      try await explore {
        let model = ForecastModel { "sun in \($0)" }
        model.show("Rome")
        model.show("Oslo")
        await settle()
        #expect(model.forecast == "sun in Oslo")
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @MainActor
  @Test(.explored) func `the latest question's answer is shown in each order`() async {
    let model = ForecastModel { "sun in \($0)" }
    model.showLatest("Rome")
    model.showLatest("Oslo")
    await settle()
    #expect(model.forecast == "sun in Oslo")
  }

  // MARK: A pause in the typing, by work items

  /// What is found after two texts, whose answers come at the same time.
  @MainActor private static func found(
    _ type: @MainActor (PlaceSearch, String) -> Void
  ) async throws -> String? {
    let search = PlaceSearch { text in
      Thread.sleep(forTimeInterval: text == "a" ? 1 : 0.5)
      return "places with \(text)"
    }
    type(search, "a")
    try await Task.sleep(for: .milliseconds(500))
    type(search, "ab")
    await settle()
    return search.places
  }

  @MainActor @Test(.needs(.clocks))
  func `an answer that was not wanted any more is shown, in some order`() async throws {
    try await withKnownIssue {
      try await explore {
        let places = try await Self.found { $0.type($1) }
        #expect(places == "places with ab")
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @MainActor
  @Test(.needs(.clocks), .explored)
  func `the places for the latest text are shown in each order`() async throws {
    let places = try await Self.found { $0.typeLatest($1) }
    #expect(places == "places with ab")
  }

  // MARK: A cache with barriers

  /// How often two callers that come at once have a picture rendered.
  private static func renderings(
    _ thumbnail: @escaping @Sendable (ThumbnailCache) -> String
  ) async -> Int {
    let count = Locked(0)
    let cache = ThumbnailCache { name in
      count.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 1)
      return "small \(name)"
    }
    await withTaskGroup { group in
      for _ in 1...2 { group.addTask { #expect(thumbnail(cache) == "small cat") } }
    }
    return count.withLock { $0 }
  }

  @Test(.simulated) func `a picture is rendered for the first caller, and kept`() async {
    let count = Locked(0)
    let cache = ThumbnailCache { name in
      count.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 1)
      return "small \(name)"
    }
    for _ in 1...3 { #expect(cache.thumbnail(of: "cat") == "small cat") }
    #expect(cache.thumbnailRenderedOnce(of: "dog") == "small dog")
    #expect(cache.thumbnailRenderedOnce(of: "dog") == "small dog")
    #expect(count.withLock { $0 } == 2)
    #expect(Simulation.current?.now == .seconds(2))
  }

  @Test func `two callers render twice, in some order`() async throws {
    try await withKnownIssue {
      try await explore {
        #expect(await Self.renderings { $0.thumbnail(of: "cat") } == 1)
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @Test(.explored) func `two callers render once in each order`() async {
    #expect(await Self.renderings { $0.thumbnailRenderedOnce(of: "cat") } == 1)
  }

  // MARK: A timer

  /// Whether a server that is gone for 22 seconds is shown as such.
  private static func showsShortOutage(
    after seconds: Int = 3605, _ start: @Sendable (ConnectionMonitor) -> Void
  ) async throws -> Bool {
    let isReachable = Locked(true)
    let monitor = ConnectionMonitor { isReachable.withLock { $0 } }
    start(monitor)
    start(monitor)
    try await Task.sleep(for: .seconds(seconds))
    isReachable.withLock { $0 = false }
    try await Task.sleep(for: .seconds(22))
    let isOffline = monitor.isOffline
    monitor.stop()
    return isOffline
  }

  @Test(.simulated) func `a monitor that is started twice asks twice as often`() async throws {
    let isShown = try await Self.showsShortOutage { $0.start() }
    withKnownIssue { #expect(!isShown) }
  }

  @Test(.simulated) func `a monitor that is restarted asks every ten seconds`() async throws {
    let isShown = try await Self.showsShortOutage { $0.restart() }
    #expect(!isShown)
  }

  @Test func `a monitor that is started twice shows a short outage`() async throws {
    try await withKnownIssue {
      try await explore {
        let isShown = try await Self.showsShortOutage(after: 35) { $0.start() }
        #expect(!isShown)
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @Test(.explored) func `a monitor that is restarted shows no short outage in any order`()
    async throws
  {
    #expect(try await !Self.showsShortOutage(after: 35) { $0.restart() })
  }

  // MARK: A timer of the main run loop, and an operation queue

  @MainActor
  @Test(.needs(.runLoops), .needs(.operations), .simulated)
  func `a ticker asks every ten seconds for a day`() async throws {
    let ticker = PriceTicker { question in question }
    ticker.start()
    try await Task.sleep(for: .seconds(86_405))
    ticker.stop()
    #expect(ticker.shown == 8_640)
    try await Task.sleep(for: .seconds(60))
    #expect(ticker.shown == 8_640)
  }

  /// What is shown when two questions have been answered.
  @MainActor private static func lastShown(
    _ ask: @MainActor (PriceTicker) -> Void
  ) async -> Int? {
    let ticker = PriceTicker { question in question }
    ask(ticker)
    ask(ticker)
    await settle()
    return ticker.shown
  }

  @MainActor @Test(.needs(.operations)) func `a late price replaces a later one, in some order`()
    async throws
  {
    try await withKnownIssue {
      try await explore {
        #expect(await Self.lastShown { $0.ask() } == 2)
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @MainActor
  @Test(.needs(.operations), .explored) func `the latest price is shown in each order`() async {
    #expect(await Self.lastShown { $0.askForLatest() } == 2)
  }

  /// What is shown after two ticks, whose answers come at the same time.
  @MainActor private static func shownAfterTwoTicks(
    _ start: @MainActor (PriceTicker) -> Void
  ) async throws -> Int? {
    let ticker = PriceTicker { question in
      if question == 1 { Thread.sleep(forTimeInterval: 10) }
      return question
    }
    start(ticker)
    try await Task.sleep(for: .seconds(25))
    ticker.stop()
    await settle()
    return ticker.shown
  }

  @MainActor @Test(.needs(.runLoops), .needs(.operations))
  func `a price that took until the next tick replaces the next one, in some order`() async throws {
    try await withKnownIssue {
      try await explore {
        let shown = try await Self.shownAfterTwoTicks { $0.start() }
        #expect(shown == 2)
      }
    } matching: {
      isFailedExpectation($0)
    }
  }

  @MainActor @Test(.needs(.runLoops), .needs(.operations), .explored)
  func `the latest tick's price is shown in each order`() async throws {
    #expect(try await Self.shownAfterTwoTicks { $0.startForLatest() } == 2)
  }

  // MARK: A semaphore round a callback

  @Test(.simulated) func `settings are loaded while the caller is blocked`() async {
    let settings = StoredSettings(disk: DispatchQueue(label: "disk")) {
      Thread.sleep(forTimeInterval: 3)
      return "dark"
    }
    #expect(settings.loadAndWait() == "dark")
    #expect(Simulation.current?.now == .seconds(3))
  }

  @Test(.explored) func `a caller on the disk's queue that takes a callback waits for nothing`()
    async
  {
    let disk = DispatchQueue(label: "disk")
    let settings = StoredSettings(disk: disk) { "dark" }
    let text = await withCheckedContinuation { done in
      disk.async { settings.load { done.resume(returning: $0) } }
    }
    #expect(text == "dark")
  }

  @Test func `a caller on the disk's queue waits for itself`() async throws {
    try await withKnownIssue {
      try await simulate {
        let disk = DispatchQueue(label: "disk")
        let settings = StoredSettings(disk: disk) { "dark" }
        await withCheckedContinuation { done in
          disk.async {
            #expect(settings.loadAndWait() == "dark")
            done.resume()
          }
        }
      }
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue.contains("queue disk") && $0.rawValue.contains("semaphore")
      }
    }
  }

  /// The settings of two callers that come at once.
  private static func settingsOfTwo(
    _ text: @escaping @Sendable (StoredSettings) -> String
  ) async -> [String] {
    let settings = StoredSettings(disk: DispatchQueue(label: "disk")) { "dark" }
    return await withTaskGroup { group in
      for _ in 1...2 { group.addTask { text(settings) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `one of two callers waits for ever, in some order`() async throws {
    let texts = Log<String>()
    try await withKnownIssue {
      try await explore { _ = await Self.settingsOfTwo { $0.textReadOnce() } }
    } matching: { issue in
      for comment in issue.comments { texts.append(comment.rawValue) }
      return true
    }
    #expect(texts.values.contains { $0.contains("waiting for a semaphore") })
    #expect(texts.values.contains { $0.contains("fails: a deadlock. To replay it:") })
  }

  @Test(.explored) func `two callers have the settings in each order`() async {
    #expect(await Self.settingsOfTwo { $0.textReadOnceForAll() } == ["dark", "dark"])
  }
}

/// Whether an issue is that an expectation of this file failed, or the report of the schedule in which it did.
private func isFailedExpectation(_ issue: Issue) -> Bool {
  if case .expectationFailed = issue.kind { return true }
  return issue.comments.contains {
    $0.rawValue.contains("fails: a failure at LegacyQueueTests.swift:")
  }
}
