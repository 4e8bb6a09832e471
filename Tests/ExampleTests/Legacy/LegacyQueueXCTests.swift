// virtual time: every test is simulated
import Dispatch
import ExampleApp
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Code with queues of its own, in XCTest, by synchronous tests on the main thread.
  final class LegacyQueueXCTests: SimulatedTestCase {
    override func setUpWithError() throws { try skipWithoutQueues() }

    func testAToastGoesAwayAfterThreeSeconds() {
      MainActor.assumeIsolated {
        let toast = QueueToast()
        toast.show("Saved")
        XCTAssertEqual(toast.text, "Saved")

        settle()
        XCTAssertNil(toast.text)
        XCTAssertEqual(Simulation.current?.now, .seconds(3))
      }
    }

    func testAForecastIsShownWhenItHasCome() {
      MainActor.assumeIsolated {
        let model = ForecastModel { city in
          Thread.sleep(forTimeInterval: 2)
          return "sun in \(city)"
        }
        model.show("Rome")
        XCTAssertTrue(model.isLoading)

        settle()
        XCTAssertEqual(model.forecast, "sun in Rome")
        XCTAssertFalse(model.isLoading)
        XCTAssertEqual(Simulation.current?.now, .seconds(2))
      }
    }

    func testPlacesAreSearchedWhenTheTypingPauses() {
      MainActor.assumeIsolated {
        let searched = Log<String>()
        let search = PlaceSearch { text in
          searched.append(text)
          return "places with \(text)"
        }
        search.type("a")
        Thread.sleep(forTimeInterval: 0.299)
        search.type("ab")
        Thread.sleep(forTimeInterval: 0.299)
        XCTAssertEqual(searched.values, [])

        settle()
        XCTAssertEqual(searched.values, ["ab"])
        XCTAssertEqual(search.places, "places with ab")
        XCTAssertEqual(Simulation.current?.now, .milliseconds(299 + 300))
      }
    }

    func testAPictureIsRenderedForTheFirstCallerAndKept() {
      let count = Locked(0)
      let cache = ThumbnailCache { name in
        count.withLock { $0 += 1 }
        Thread.sleep(forTimeInterval: 1)
        return "small \(name)"
      }
      for _ in 1...3 { XCTAssertEqual(cache.thumbnail(of: "cat"), "small cat") }
      for _ in 1...2 { XCTAssertEqual(cache.thumbnailRenderedOnce(of: "dog"), "small dog") }
      XCTAssertEqual(count.withLock { $0 }, 2)
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
    }

    func testAMonitorThatIsRestartedAsksEveryTenSeconds() {
      XCTAssertFalse(showsShortOutage(after: 3605) { $0.restart() })
      XCTAssertEqual(Simulation.current?.now, .seconds(3605 + 22))
    }

    func testAMonitorThatIsStartedTwiceAsksTwiceAsOften() {
      // The defect: the outage is too short to be shown.
      XCTAssertTrue(showsShortOutage(after: 3605) { $0.start() })
    }

    func testATickerAsksEveryTenSecondsForAnHour() throws {
      for need in [Need.runLoops, .operations] { try need.orSkip() }
      MainActor.assumeIsolated {
        let ticker = PriceTicker { question in question }
        ticker.start()
        Thread.sleep(forTimeInterval: 3_605)
        ticker.stop()
        XCTAssertEqual(ticker.shown, 360)
        Thread.sleep(forTimeInterval: 60)
        XCTAssertEqual(ticker.shown, 360)
      }
    }

    func testSettingsAreLoadedWhileTheTestIsBlocked() {
      let settings = StoredSettings(disk: DispatchQueue(label: "disk")) {
        Thread.sleep(forTimeInterval: 3)
        return "dark"
      }
      XCTAssertEqual(settings.loadAndWait(), "dark")
      XCTAssertEqual(Simulation.current?.now, .seconds(3))
    }
  }

  /// What holds in each order.
  final class LegacyQueueExploredXCTests: ExploredTestCase {
    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 100) }

    override func setUpWithError() throws { try skipWithoutQueues() }

    func testTheEndOfAToastHidesNoOtherOne() {
      XCTAssertEqual(toastAfterTwo { $0.showUntilNext($1) }, "Sent")
    }

    func testTheLatestQuestionsAnswerIsShown() {
      XCTAssertEqual(forecastAfterTwo { $0.showLatest($1) }, "sun in Oslo")
    }

    func testThePlacesForTheLatestTextAreShown() {
      XCTAssertEqual(placesAfterTwo { $0.typeLatest($1) }, "places with ab")
    }

    func testTwoCallersRenderOnce() {
      XCTAssertEqual(renderings { $0.thumbnailRenderedOnce(of: "cat") }, 1)
    }

    func testAMonitorThatIsRestartedShowsNoShortOutage() {
      XCTAssertFalse(showsShortOutage { $0.restart() })
    }

    func testTheLatestPriceIsShown() throws {
      try Need.operations.orSkip()
      XCTAssertEqual(priceAfterTwo { $0.askForLatest() }, 2)
    }

    func testTwoCallersHaveTheSettings() {
      XCTAssertEqual(settingsOfTwo { $0.textReadOnceForAll() }, ["dark", "dark"])
    }
  }

  /// Each defect is found in one of so many orders.
  final class LegacyQueueDefectXCTests: SleeplessTesting.ExploredTestCase {
    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 100) }

    override func setUpWithError() throws { try skipWithoutQueues() }

    override var testRunClass: AnyClass? { CaughtRun.self }

    override func invokeTest() {
      guard canBeSimulated() else { return }
      super.invokeTest()
      (testRun as! CaughtRun).expectFailures()
    }

    func testTheEndOfAToastHidesTheNextOne() {
      XCTAssertEqual(toastAfterTwo { $0.show($1) }, "Sent")
    }

    func testALateAnswerReplacesALaterOne() {
      XCTAssertEqual(forecastAfterTwo { $0.show($1) }, "sun in Oslo")
    }

    func testAnAnswerThatWasNotWantedAnyMoreIsShown() {
      XCTAssertEqual(placesAfterTwo { $0.type($1) }, "places with ab")
    }

    func testTwoCallersRenderTwice() {
      XCTAssertEqual(renderings { $0.thumbnail(of: "cat") }, 1)
    }

    func testAMonitorThatIsStartedTwiceShowsAShortOutage() {
      XCTAssertFalse(showsShortOutage { $0.start() })
    }

    func testALatePriceReplacesALaterOne() throws {
      try Need.operations.orSkip()
      XCTAssertEqual(priceAfterTwo { $0.ask() }, 2)
    }
  }

  /// Keeps the failures of a test that is to fail.
  private final class CaughtRun: XCTestCaseRun {
    private let caught = Log<String>()
    private var isOver = false

    override func recordFailure(
      withDescription description: String, inFile filePath: String?, atLine lineNumber: Int,
      expected: Bool
    ) {
      guard isOver else { return caught.append(description) }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }

    /// Fails the test unless a schedule has failed at a line of this file.
    func expectFailures() {
      isOver = true
      guard !hasBeenSkipped else { return }
      XCTAssertTrue(
        caught.values.contains { $0.contains("fails: a failure at LegacyQueueXCTests.swift:") },
        "\(caught.values)")
    }
  }

  private func skipWithoutQueues() throws {
    for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
  }

  /// What is shown a second after a second toast, whose event comes when the first one goes.
  private func toastAfterTwo(
    _ show: @escaping @MainActor (QueueToast, String) -> Void
  ) -> String? {
    MainActor.assumeIsolated {
      let toast = QueueToast()
      show(toast, "Saved")
      DispatchQueue.global().asyncAfter(deadline: .now() + 3) {
        DispatchQueue.main.async { MainActor.assumeIsolated { show(toast, "Sent") } }
      }
      Thread.sleep(forTimeInterval: 4)
      return toast.text
    }
  }

  // MARK: What two calls show whose answers come at the same time

  private func forecastAfterTwo(
    _ show: @MainActor (ForecastModel, String) -> Void
  ) -> String? {
    MainActor.assumeIsolated {
      let model = ForecastModel { "sun in \($0)" }
      show(model, "Rome")
      show(model, "Oslo")
      settle()
      return model.forecast
    }
  }

  private func placesAfterTwo(_ type: @MainActor (PlaceSearch, String) -> Void) -> String? {
    MainActor.assumeIsolated {
      let search = PlaceSearch { text in
        Thread.sleep(forTimeInterval: text == "a" ? 1 : 0.5)
        return "places with \(text)"
      }
      type(search, "a")
      Thread.sleep(forTimeInterval: 0.5)
      type(search, "ab")
      settle()
      return search.places
    }
  }

  /// How often two callers that come at once have a picture rendered.
  private func renderings(
    _ thumbnail: @escaping @Sendable (ThumbnailCache) -> String
  ) -> Int {
    let count = Locked(0)
    let cache = ThumbnailCache { name in
      count.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 1)
      return "small \(name)"
    }
    let group = DispatchGroup()
    for _ in 1...2 {
      DispatchQueue.global().async(group: group) { XCTAssertEqual(thumbnail(cache), "small cat") }
    }
    group.wait()
    return count.withLock { $0 }
  }

  /// Whether a server that is gone for 22 seconds is shown as such.
  private func showsShortOutage(
    after seconds: TimeInterval = 35, _ start: (ConnectionMonitor) -> Void
  ) -> Bool {
    let isReachable = Locked(true)
    let monitor = ConnectionMonitor { isReachable.withLock { $0 } }
    start(monitor)
    start(monitor)
    Thread.sleep(forTimeInterval: seconds)
    isReachable.withLock { $0 = false }
    Thread.sleep(forTimeInterval: 22)
    defer { monitor.stop() }
    return monitor.isOffline
  }

  private func priceAfterTwo(_ ask: (PriceTicker) -> Void) -> Int? {
    let ticker = PriceTicker { question in question }
    ask(ticker)
    ask(ticker)
    settle()
    return ticker.shown
  }

  private func settingsOfTwo(
    _ text: @escaping @Sendable (StoredSettings) -> String
  ) -> [String] {
    let settings = StoredSettings(disk: DispatchQueue(label: "disk")) { "dark" }
    let texts = Log<String>()
    let group = DispatchGroup()
    for _ in 1...2 { DispatchQueue.global().async(group: group) { texts.append(text(settings)) } }
    group.wait()
    return texts.values
  }
#endif
