import Dispatch
import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct MainThreadSchedulerTests {
  private let scheduler = MainThreadScheduler()
  private let log = Log<String>()

  private static let mainQueue: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether this is the main queue's work. On Linux, tests have no main thread.
  private var isOnMain: Bool { DispatchQueue.getSpecific(key: Self.mainQueue) != nil }

  @Test @MainActor func `on the main thread work runs before the call returns, nested work too`() {
    scheduler.async { [log, scheduler] in
      log.append("begins")
      scheduler.async { log.append("within") }
      log.append("ends")
    }
    log.append(scheduler.sync { "sync" })
    #expect(log.values == ["begins", "within", "ends", "sync"])
  }

  @Test func `work from another thread runs on the main thread, in order`() async {
    await onThread { [self] in
      for name in ["a", "b"] {
        scheduler.async { log.append(isOnMain ? name : "elsewhere") }
      }
      log.append(scheduler.sync { isOnMain ? "sync" : "elsewhere" })
    }
    #expect(log.values == ["a", "b", "sync"])
  }

  @Test func `delayed and repeating work runs on the main thread`() async {
    let ranOnMain = Log<Bool>()
    let start = scheduler.now
    await withCheckedContinuation { done in
      scheduler.schedule(after: .milliseconds(1)) {
        ranOnMain.append(isOnMain)
        done.resume()
      }
    }
    let token = Locked<(any CancellableType)?>(nil)
    await withCheckedContinuation { done in
      let work = scheduler.schedule(every: .milliseconds(1)) {
        ranOnMain.append(isOnMain)
        // The first tick may come before the token is stored.
        guard let work = token.withLock({ $0.take() }) else { return }
        work.cancel()
        done.resume()
      }
      token.withLock { $0 = work }
    }
    #expect(ranOnMain.values.allSatisfy { $0 })
    #expect(scheduler.now - start >= .milliseconds(2))
  }
}
