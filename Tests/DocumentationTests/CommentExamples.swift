import Dispatch
import Sleepless
import SleeplessTesting
import Testing

// The examples in the sources' comments, to the letter, and what shows that they are true.

final class Counter: Sendable {
  let queue: any DispatchQueueType
  init(queue: any DispatchQueueType = DispatchQueue.main) { self.queue = queue }
  func countLater(_ count: @escaping @Sendable () -> Void) {
    queue.async { count() }
  }
}

protocol HasService {}
protocol Search: HasService & HasMainQueue {}

@Suite struct CommentExamples {
  let log = Locked<[String]>([])

  @Test func `example of DispatchQueueType`() {
    let queue = TestScheduler()
    Counter(queue: queue).countLater { [log] in log.withLock { $0.append("counted") } }
    queue.advance()
    #expect(log.withLock { $0 } == ["counted"])
  }

  @Test func `example of HasMainQueue`() {
    struct Feature: Search { let mainQueue: any DispatchQueueType = ImmediateScheduler() }
    func run(_ feature: some Search) {
      feature.mainQueue.async { [log] in log.withLock { $0.append("ran") } }
    }
    run(Feature())
    #expect(log.withLock { $0 } == ["ran"])
  }

  @Test func `example of a scheduler's sleep`() async throws {
    let scheduler = TestScheduler()
    let toast = Task { try await scheduler.sleep(for: .seconds(2)) }
    await scheduler.clock.waitForSleepers()
    await scheduler.advance(by: .seconds(2))
    try await toast.value  // the sleep has ended
    #expect(scheduler.now == .seconds(2))
  }

  @Test func `example of ImmediateClock`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(60))
    #expect("\(clock.now.offset)" == "60.0 seconds")
  }

  @Test(.needs(.capture)) func `example of TimerSequence`() async throws {
    let clock = TestClock()
    let ticks = Locked<[String]>([])
    let task = Task {
      func print(_ elapsed: Duration) { ticks.withLock { $0.append("\(elapsed)") } }
      for try await elapsed in clock.timer(every: .seconds(1)) {
        print(elapsed)
      }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    await clock.waitForSleepers()
    #expect(ticks.withLock { $0 } == ["1.0 seconds", "2.0 seconds"])
    task.cancel()
  }

  @Test func `example of TestScheduler`() {
    let service = SearchLog()
    let scheduler = TestScheduler()
    let search = SearchBox(service: service, scheduler: scheduler)
    search.query = "swift"
    scheduler.advance(by: .milliseconds(299))
    #expect(service.queries.withLock { $0 } == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(service.queries.withLock { $0 } == ["swift"])
  }
}

final class SearchLog: Sendable {
  let queries = Locked<[String]>([])
}

final class SearchBox {
  private let service: SearchLog
  private let scheduler: any SchedulerType
  private var debounce: (any CancellableType)?

  init(service: SearchLog, scheduler: any SchedulerType = DispatchQueue.main) {
    self.service = service
    self.scheduler = scheduler
  }

  var query = "" {
    didSet {
      debounce?.cancel()
      debounce = scheduler.schedule(after: .milliseconds(300)) { [service, query] in
        service.queries.withLock { $0.append(query) }
      }
    }
  }
}
