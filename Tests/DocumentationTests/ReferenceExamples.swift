// virtual time: what sleeps here does so in simulations
import Dispatch
import Foundation
import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of types.
@Suite struct ReferenceExamples {
  final class Retry: Sendable {
    private let scheduler: any SchedulerType

    init(scheduler: any SchedulerType = DispatchQueue.main) { self.scheduler = scheduler }

    func again(_ work: @escaping @Sendable () -> Void) {
      scheduler.schedule(after: .seconds(2), execute: work)
    }
  }

  @Test func `a retry takes any scheduler`() {
    let scheduler = TestScheduler()
    let runs = Recorder<Duration, Never>(time: .of(scheduler))
    Retry(scheduler: scheduler).again { runs.record(scheduler.now) }
    scheduler.run()
    runs.expect(.seconds(2))
  }

  @Test func `a preview does not wait`() {
    let preview = Retry(scheduler: ImmediateScheduler())
    preview.again { print("at once") }
  }

  @Test func `cancelled work does not run`() {
    let scheduler = TestScheduler()
    let reminder = scheduler.schedule(after: .seconds(60)) { print("Save your work") }
    reminder.cancel()
  }

  @Test func `a deadline in GCD's notation`() {
    let scheduler: any SchedulerType = TestScheduler(allowsPendingWork: true)
    scheduler.asyncAfter(deadline: .now() + 0.3) { print("0.3 s later") }
  }

  @Test func `a run loop as a scheduler`() {
    let scheduler: any SchedulerType = RunLoop.main.scheduler
    _ = scheduler.now
  }

  @Test func `values for the screen`() {
    let progress = EventSubject<Double, Never>()
    let token = progress.receive(on: MainThreadScheduler()).sink { print($0) }
    token.cancel()
  }

  @Test func `an instant of virtual time`() async {
    let clock = TestClock()
    await clock.advance(by: .seconds(5))
    let now = clock.now  // 5 s after the start
    #expect(now.offset == .seconds(5))
  }

  @Test func `an end is read`() {
    let progress = EventSubject<Int, Never>()
    let token = progress.sink(
      receiveCompletion: { end in if case .finished = end { print("done") } },
      receiveValue: { print("\($0) %") })
    token.cancel()
  }

  @Test func `settings of a test case`() {
    let settings = ExplorationSettings(schedules: 10_000, seed: 7)
    #expect(settings.schedules == 10_000)
  }

  @Test func `settings of a simulated test case`() {
    let settings = SimulationSettings(timeLimit: .seconds(86_400), allowing: .sleepingTasks)
    #expect(settings.allowing == .sleepingTasks)
  }

  @Test(.checkedAtEnd) func `each state is read`() async {
    let states = Recorder<String, Never>("states")
    states.record("loading")
    await states.expect("loading")  // without this line the test fails
  }

  @Test func `events have virtual times`() {
    let scheduler = TestScheduler()
    let ticks = Recorder<Int, Never>(time: .of(scheduler))
    scheduler.schedule(after: .seconds(2)) { ticks.record(1) }
    scheduler.run()
    ticks.expect(marbles: "2s 1")
  }

  @Test func `what has run`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    let ran = scheduler.run()
    #expect(ran.map(\.label) == ["hide"])
  }

  @Test func `what is pending`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    #expect(scheduler.pending.first?.deadline == .seconds(2))
  }

  @Test func `work in a shuffled order`() {
    let scheduler = TestScheduler(order: .shuffled(seed: 7))
    let order = Recorder<Int, Never>(time: .of(scheduler))
    for number in 1...3 {
      scheduler.schedule(after: .seconds(1)) { order.record(number) }
    }
    scheduler.run()
    #expect(Set(order.all()) == [1, 2, 3])  // in an order that the seed decides
  }

  @Test func `an answer from the cache needs no clock`() async {
    let cache = Cache(answer: 7, clock: UnimplementedClock())
    #expect(await cache.answer() == 7)  // fails the test if it sleeps
  }

  @Test func `a silent retry needs no scheduler`() {
    let retry = Retry(scheduler: UnimplementedScheduler())  // fails the test if it is used
    _ = retry
  }

  @Test func `a held call is answered`() async throws {
    let search = Gate<Int>("search")
    async let found = search("swift")
    let call = try await search.entered()
    call.succeed(with: 42)
    #expect(try await found == 42)
  }

  @Test func `a call with its arguments`() {
    let save = Spy<String>("save")
    save("Ada")
    #expect(save.all.first?.arguments == "Ada")
  }
}

@Suite(.needs(.capture)) struct SimulatedReferenceExamples {
  @Test func `an hour passes`() async throws {
    let outcome = await Simulation.run {
      try await Task.sleep(for: .seconds(3600))
      return Simulation.current?.now
    }
    // outcome.result is .success(3600 s), and outcome.report.elapsed 3600 s
    #expect(try outcome.result?.get() == .seconds(3600))
    #expect(outcome.report.elapsed == .seconds(3600))
  }

  @Test func `a body ends, and a task stays`() async throws {
    let outcome = await Simulation.run {
      Task(name: "poller") { try await Task.sleep(for: .seconds(60)) }
    }
    for task in outcome.report.unfinishedTasks {
      print(task.name ?? "a task")  // poller
    }
    #expect(outcome.report.unfinishedTasks.map(\.name) == ["poller"])
  }

  @Test func `a day is the limit`() async throws {
    let options = Simulation.Options(timeLimit: .seconds(86_400))
    let outcome = await Simulation.run(options) {
      while true { try await Task.sleep(for: .seconds(60)) }
    }
    // outcome.report.ending is .tooLate
    guard case .tooLate = outcome.report.ending else {
      Issue.record("It ended otherwise.")
      return
    }
  }

  @Test func `every order of a small program`() async throws {
    let exploration = try await explore(strategy: .exhaustive) {
      async let first: Void = Task.yield()
      async let second: Void = Task.yield()
      _ = await (first, second)
    }
    print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
    #expect(exploration.isComplete && exploration.failed == 0)
  }

  @Test func `counts of an exploration`() async throws {
    let exploration = try await explore(schedules: 20) { await Task.yield() }
    #expect(exploration.failed == 0)
  }

  @Test(.explored) func `two keystrokes leave the later result`() async {
    let model = SearchModel()
    async let first: Void = model.search("s")
    async let second: Void = model.search("sw")
    _ = await (first, second)
    #expect(["s", "sw"].contains(await model.shown))
  }

  @Test(.explored) func `cards are shuffled alike in each replay`() {
    var numbers = Simulation.randomNumbers()
    let cards = (1...52).shuffled(using: &numbers)
    #expect(Set(cards).count == 52)
  }

  @Test(.simulated) func `an hour passes at once`() async throws {
    try await Task.sleep(for: .seconds(3600))
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.simulated(allowing: .sleepingTasks)) func `a poller may go on`() {
    Task { while true { try await Task.sleep(for: .seconds(60)) } }
  }

  @Test(.simulated) func `the second answer comes after a second`() async throws {
    let user = Stub<Int, String>("user")
    user.inTurn(.value("Ada"), .after(.seconds(1), .value("Tom")))
    #expect(try await user(1) == "Ada")
    #expect(try await user(2) == "Tom")
    #expect(Simulation.current?.now == .seconds(1))
  }
}

private actor SearchModel {
  private(set) var shown = ""

  func search(_ text: String) async {
    await Task.yield()
    shown = text
  }
}

private struct Cache {
  let answer: Int
  let clock: any Clock<Duration>

  func answer() async -> Int { answer }
}
