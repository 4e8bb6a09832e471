import Dispatch
import Foundation
import Sleepless
import SleeplessTesting

// Timers, schedulers, subscriptions and observers, which hold what they call.

private final class Ticker {
  let scheduler = TestScheduler(allowsPendingWork: true)
  var timer: (any CancellableType)?
  var ticks = 0
}

private final class Clock {
  var timer: (any DispatchSourceTimer)?
  var foundationTimer: Timer?
  var ticks = 0
}

private final class Feed {
  let subject = StateSubject<Int, Never>(0)
  var token: SubscriptionToken?
  var latest = 0
}

private final class Cache {
  static nonisolated(unsafe) var shared: [String: Cache] = [:]
}

private final class Recording: Sendable {
  let recorder: Recorder<Recording, Never>
  init(_ recorder: Recorder<Recording, Never>) { self.recorder = recorder }
}

extension Leak {
  static let timersAndObservers = [
    Leak(
      "a timer of a scheduler", at: #line + 3,
      reads: cycle("Ticker", "Ticker.timer → ScheduledItem → closure capturing Ticker")
    ) {
      await expectDeallocated {
        let ticker = Ticker()
        nonisolated(unsafe) let held = ticker
        ticker.timer = ticker.scheduler.schedule(every: .seconds(1)) { held.ticks += 1 }
        return ticker
      }
    } healthy: {
      await expectDeallocated {
        let ticker = Ticker()
        nonisolated(unsafe) weak let held = ticker
        ticker.timer = ticker.scheduler.schedule(every: .seconds(1)) { held?.ticks += 1 }
        ticker.timer?.cancel()
        return ticker
      }
    },
    Leak(
      "a subscription's sink", at: #line + 3,
      reads: cycle("Feed", "Feed.subject → StateSubject<Int, Never> → closure capturing Feed")
    ) {
      await expectDeallocated {
        let feed = Feed()
        nonisolated(unsafe) let held = feed
        feed.token = feed.subject.sink { held.latest = $0 }
        return feed
      }
    } healthy: {
      await expectDeallocated {
        let feed = Feed()
        nonisolated(unsafe) weak let held = feed
        feed.token = feed.subject.sink { held?.latest = $0 }
        return feed
      }
    },
    Leak(
      "a recorder's events", at: #line + 3,
      reads: cycle("Recording", "Recording.recorder → Recorder<Recording, Never> → Recording")
    ) {
      await expectDeallocated {
        let recording = Recording(Recorder(allowsUnread: true))
        recording.recorder.record(recording)
        return recording
      }
    } healthy: {
      await expectDeallocated {
        let recording = Recording(Recorder(allowsUnread: true))
        recording.recorder.record(Recording(Recorder(allowsUnread: true)))
        return recording
      }
    },
    Leak(
      "a timer of Foundation", at: #line + 3,
      reads: cycle("Clock", "Clock.foundationTimer → Timer → closure capturing Clock")
    ) {
      await expectDeallocated {
        let clock = Clock()
        nonisolated(unsafe) let held = clock
        clock.foundationTimer = Timer(timeInterval: 3600, repeats: true) { _ in held.ticks += 1 }
        return clock
      }
    } healthy: {
      await expectDeallocated {
        let clock = Clock()
        nonisolated(unsafe) weak let held = clock
        clock.foundationTimer = Timer(timeInterval: 3600, repeats: true) { _ in held?.ticks += 1 }
        return clock
      }
    },
    Leak(
      "a static property", at: #line + 4,
      reads: program("Cache", "Cache.shared → Cache")
    ) {
      await Guard.$shortened.withValue(.milliseconds(300)) {
        await expectDeallocated {
          let cache = Cache()
          Cache.shared["one"] = cache
          return cache
        }
      }
      Cache.shared = [:]
    } healthy: {
      await expectDeallocated { Cache() }
    },
  ]
}
