import Dispatch
import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct ImmediateSchedulerTests {
  private let scheduler = ImmediateScheduler()
  private let log = Log<String>()

  @Test func `work runs before the call that schedules it returns`() {
    scheduler.async { [log] in log.append("async") }
    scheduler.schedule(after: .seconds(60)) { [log] in log.append("after") }
    scheduler.asyncAfter(deadline: .now() + 60) { [log] in log.append("deadline") }
    let held: any SchedulerType = .immediate
    held.async(execute: { [log] in log.append("held") })
    let queue: any DispatchQueueType = .immediate
    queue.async { [log] in log.append("queue") }
    #expect(log.values == ["async", "after", "deadline", "held", "queue"])
    #expect(scheduler.now == .zero)
  }

  @Test func `sync runs at once, returns and throws, also from within work`() {
    scheduler.async { [scheduler, log] in
      scheduler.async { log.append("nested") }
      log.append(scheduler.sync { "sync" })
    }
    #expect(log.values == ["sync", "nested"])
    #expect(throws: CancellationError.self) { try scheduler.sync { throw CancellationError() } }
  }

  @Test func `nested work runs after the work that schedules it, in the order of the calls`() {
    scheduler.async { [scheduler, log] in
      scheduler.async {
        scheduler.async { log.append("c") }
        log.append("a")
      }
      scheduler.schedule(after: .zero) { log.append("b") }
      log.append("outer")
    }
    log.append("returned")
    #expect(log.values == ["outer", "a", "b", "c", "returned"])
  }

  @Test func `repeating work runs once`() {
    scheduler.schedule(every: .seconds(1)) { [log] in log.append("tick") }
    #expect(log.values == ["tick"])
  }

  @Test func `T8 work can cancel work that was scheduled by the same work`() {
    scheduler.async { [scheduler, log] in
      let first = scheduler.schedule(after: .zero) { log.append("cancelled") }
      scheduler.schedule(after: .zero) { log.append("kept") }
      first.cancel()
      first.cancel()
    }
    scheduler.schedule(after: .zero) { [log] in log.append("last") }.cancel()
    #expect(log.values == ["kept", "last"])
  }

  @Test func `a hundred thousand nested calls need no more stack than a few`() async {
    let reached = await onThread(stackSize: 512 * 1024) {
      let depth = Locked(0)
      let schedulers = [ImmediateScheduler(), ImmediateScheduler()]
      @Sendable func descend() {
        let depth = depth.withLock {
          $0 += 1; return $0
        }
        guard depth < 100_000 else { return }
        // Nested calls in all ways there are.
        switch depth % 3 {
        case 0: schedulers[depth % 2].async { descend() }
        case 1: schedulers[depth % 2].schedule(after: .zero) { descend() }
        default: schedulers[depth % 2].schedule(every: .seconds(1)) { descend() }
        }
      }
      descend()
      return depth.withLock { $0 }
    }
    #expect(reached == 100_000)
  }

  @Test func `work releases its captures as soon as it has run, nested work too`() {
    scheduler.async { [scheduler, log] in
      do {
        let probe = Probe { log.append("released") }
        scheduler.async {
          probe.touch()
          log.append("ran")
        }
      }
      scheduler.async { log.append("next") }
    }
    #expect(log.values == ["ran", "released", "next"])
  }

  @Test func `cancelled work releases its captures at once`() {
    scheduler.async { [scheduler, log] in
      let token = {
        let probe = Probe { log.append("released") }
        return scheduler.schedule(after: .zero) { probe.touch() }
      }()
      token.cancel()
      log.append("next")
    }
    #expect(log.values == ["released", "next"])
  }

  @Test func `each thread runs its own work`() async {
    let scheduler = scheduler
    let log = log
    await onThread {
      scheduler.async {
        let done = DispatchSemaphore(value: 0)
        startThread {
          scheduler.async { log.append("on the other thread, meanwhile") }
          done.signal()
        }
        done.wait()
        log.append("here")
      }
    }
    #expect(log.values == ["on the other thread, meanwhile", "here"])
  }
}
