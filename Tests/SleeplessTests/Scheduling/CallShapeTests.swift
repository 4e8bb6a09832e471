import Dispatch
import Sleepless
import Testing
import TestSupport

/// GCD's calls on a scheduler that is held by protocol.
@Suite struct CallShapeTests {
  private let user = UserScheduler()
  private let log = Log<String>()

  @Test func `a queue held by protocol takes closures as GCD does`() {
    let user = UserQueue()
    let queue: any DispatchQueueType = user
    queue.async { [log] in log.append("trailing") }
    queue.async(execute: { [log] in log.append("labelled") })
    let block: @Sendable () -> Void = { [log] in log.append("stored") }
    queue.async(execute: block)
    user.run()
    #expect(log.values == ["trailing", "labelled", "stored"])
  }

  @Test func `a scheduler held by protocol takes closures as GCD does`() {
    let scheduler: any SchedulerType = user
    scheduler.async { [log] in log.append("trailing") }
    scheduler.async(execute: { [log] in log.append("labelled") })
    user.run()
    #expect(log.values == ["trailing", "labelled"])
    #expect(user.text == "async, async")
  }

  @Test func `deadlines written in the call are exact`() {
    let scheduler: any SchedulerType = user
    scheduler.asyncAfter(deadline: .now()) {}
    scheduler.asyncAfter(deadline: .now() + 0.3) {}
    scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) {}
    scheduler.asyncAfter(deadline: .now() + .seconds(1) - 0.5) {}
    scheduler.asyncAfter(deadline: .now() + 1 + 2) {}
    scheduler.asyncAfter(wallDeadline: .now() + 0.3) {}
    let milliseconds = user.delays.map { $0! / .milliseconds(1) }
    #expect(milliseconds == [0, 300, 300, 500, 3000, 300])
  }

  @Test func `a deadline that GCD never reaches is never reached`() {
    let scheduler: any SchedulerType = user
    scheduler.asyncAfter(deadline: .now() + .infinity) {}
    scheduler.asyncAfter(deadline: .now() + .never + 1) {}
    scheduler.asyncAfter(deadline: DispatchTime.distantFuture) {}
    scheduler.asyncAfter(wallDeadline: DispatchWallTime.distantFuture) {}
    #expect(user.delays == [.forever, .forever, .forever, .forever])
  }

  @Test func `a deadline that is infinitely early is due at once`() {
    let time = VirtualScheduler()
    let scheduler: any SchedulerType = time
    let log = Log<String>()
    scheduler.asyncAfter(deadline: .now() + 1.5 - .infinity) { log.append("early") }
    scheduler.asyncAfter(deadline: .now() - .infinity + 5) { log.append("earlier") }
    time.advance(by: .zero)
    #expect(log.values == ["early", "earlier"])
  }

  @Test func `a deadline on the real clock becomes the time left until it`() throws {
    let scheduler: any SchedulerType = user
    let deadline = DispatchTime.now() + 1000
    let wallDeadline = DispatchWallTime.now() + 1000
    scheduler.asyncAfter(deadline: deadline) {}
    scheduler.asyncAfter(wallDeadline: wallDeadline) {}
    scheduler.asyncAfter(deadline: DispatchTime.now()) {}
    scheduler.asyncAfter(wallDeadline: DispatchWallTime.now()) {}
    // Real time has passed meanwhile: usually nothing after rounding, on a busy machine some
    // seconds.
    #expect(user.delays.prefix(2).allSatisfy { .seconds(500)...(.seconds(1000)) ~= $0! })
    #expect(user.delays.suffix(2) == [.zero, .zero])
  }

  @Test func `generic code may make the same calls`() {
    func start(_ scheduler: some SchedulerType) {
      scheduler.async { [log] in log.append("async") }
      scheduler.asyncAfter(deadline: .now() + 0.3) { [log] in log.append("deadline") }
      scheduler.asyncAfter(wallDeadline: .now() + 0.3) { [log] in log.append("wall") }
      scheduler.schedule(after: .seconds(1)) { [log] in log.append("after") }
      scheduler.schedule(every: .seconds(1)) { [log] in log.append("every") }
    }
    start(user)
    user.run()
    #expect(log.values == ["async", "deadline", "wall", "after", "every"])
    log.append("immediate")
    start(ImmediateScheduler())
    #expect(log.values == log.values.prefix(5) + ["immediate"] + log.values.prefix(5))
  }

  @Test func `arguments that a call leaves out have defaults`() {
    let scheduler: any SchedulerType = user
    scheduler.schedule(after: .seconds(1)) {}
    scheduler.schedule(after: .seconds(1), tolerance: .seconds(2), label: "x") {}
    scheduler.schedule(every: .seconds(3)) {}
    scheduler.schedule(after: .zero, every: .seconds(3), label: "y") {}
    #expect(
      user.text == """
        after 1.0 seconds, after 1.0 seconds tolerance 2.0 seconds x, \
        after 3.0 seconds every 3.0 seconds, after 0.0 seconds every 3.0 seconds y
        """)
  }

  @Test func `the scheduler learns its caller's line`() {
    let scheduler: any SchedulerType = user
    let line = #line as UInt
    scheduler.schedule(after: .zero) {}
    scheduler.schedule(every: .seconds(1)) {}
    scheduler.asyncAfter(deadline: .now() + 1) {}
    scheduler.asyncAfter(deadline: DispatchTime.now()) {}
    scheduler.asyncAfter(wallDeadline: .now() + 1) {}
    scheduler.asyncAfter(wallDeadline: DispatchWallTime.now()) {}
    scheduler.asyncAfter(deadline: .now() + 1, execute: DispatchWorkItem {})
    #expect(user.sites.map { $0?.line } == (1...7).map { line + $0 })
    #expect(user.sites.allSatisfy { $0?.fileID.description == #fileID })
  }
}
