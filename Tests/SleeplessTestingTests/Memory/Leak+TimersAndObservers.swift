import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import VirtualTime

// Timers, schedulers, subscriptions and observers, which hold the object that they call.

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

private final class Channel {
  var subject: StateSubject<Int, Never>?
  var token: SubscriptionToken?
  var latest = 0

  private var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// Makes one whose address ends in a zero byte, and leaves that in memory.
  static func make() -> Channel {
    let channel = atEvenAddress()
    leave(channel.address)
    return channel
  }

  /// The address sanitizer's allocator has no such addresses: there any will do, and nothing is shown.
  private static func atEvenAddress() -> Channel {
    let channels = (1...100).map { _ in Channel() }
    return channels.first { $0.address & 0xff == 0 } ?? channels[0]
  }

  /// Leaves a word in the memory that the allocator hands out next.
  private static func leave(_ word: UInt) {
    let blocks = (2...8).map { words in
      let block = UnsafeMutablePointer<UInt>.allocate(capacity: words)
      block.initialize(repeating: word, count: words)
      return block
    }
    for block in blocks { block.deallocate() }
  }
}

private final class Cache {
  static nonisolated(unsafe) var shared: [String: Cache] = [:]
}

private final class Club {
  var members: [Unmanaged<Member>] = []
  var room: UnsafeMutablePointer<AnyObject?>?
}

private final class Member {
  var club: Club?
}

private final class Player {
  var volume = 0
}

private final class Link {
  var next: Link?
  weak var weakNext: Link?
  var other: Link?
  var player: Player?
}

/// Hands over an object that one leak alone uses.
private struct Held<Object>: @unchecked Sendable {
  // Unchecked because of that.
  let object: Object
}

private final class Recording: Sendable {
  let recorder: Recorder<Recording, Never>
  init(_ recorder: Recorder<Recording, Never>) { self.recorder = recorder }
}

extension Leak {
  static let timersAndObservers = [
    Leak(
      "a timer of a scheduler", at: #line + 3,
      reads: cycle("Ticker", "Ticker.timer -> closure capturing Ticker")
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
      "a timer beside others of a scheduler", at: #line + 3,
      reads: cycle("Ticker", "Ticker.timer -> Timeline -> closure capturing Ticker")
    ) {
      await expectDeallocated {
        let ticker = Ticker()
        nonisolated(unsafe) let held = ticker
        ticker.scheduler.schedule(after: .seconds(1)) {}
        ticker.timer = ticker.scheduler.schedule(every: .seconds(1)) { held.ticks += 1 }
        return ticker
      }
    } healthy: {
      await expectDeallocated {
        let ticker = Ticker()
        nonisolated(unsafe) let held = ticker
        ticker.scheduler.schedule(after: .seconds(1)) {}
        ticker.scheduler.schedule(every: .seconds(1)) { held.ticks += 1 }.cancel()
        return ticker
      }
    },
    Leak(
      "what was in memory that is larger than what was asked for", at: #line + 3,
      reads: guess(cycle("Club", "Club.members[0] -> Member.club -> Club"))
    ) {
      await expectDeallocated {
        let club = Club()
        // The allocator hands out three words where one is asked for, the same that were freed last.
        let memory = UnsafeMutablePointer<UInt>.allocate(capacity: 3)
        let address = UInt(bitPattern: Unmanaged.passUnretained(club).toOpaque())
        memory.initialize(repeating: address, count: 3)
        memory.deallocate()
        club.room = .allocate(capacity: 1)
        club.room?.initialize(to: nil)
        let member = Member()
        member.club = club
        club.members = [.passRetained(member)]
        return club
      }
    } healthy: {
      await expectDeallocated {
        let club = Club()
        let member = Member()
        club.members = [.passUnretained(member)]
        return club
      }
    },
    Leak(
      "a subscription's sink", at: #line + 4,
      reads: guess(
        cycle("Feed", "Feed.subject -> StateSubject<Int, Never> -> closure capturing Feed"))
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
      "a subscription's sink where the object's address was in memory before", at: #line + 5,
      reads: guess(
        cycle("Channel", "Channel.subject -> StateSubject<Int, Never> -> closure capturing Channel")
      )
    ) {
      await expectDeallocated {
        let channel = Channel.make()
        nonisolated(unsafe) let held = channel
        channel.subject = StateSubject(0)
        channel.token = channel.subject?.sink { held.latest = $0 }
        return channel
      }
    } healthy: {
      await expectDeallocated {
        let channel = Channel.make()
        nonisolated(unsafe) weak let held = channel
        channel.subject = StateSubject(0)
        channel.token = channel.subject?.sink { held?.latest = $0 }
        return channel
      }
    },
    Leak(
      "a recorder's events", at: #line + 4,
      reads: guess(
        cycle("Recording", "Recording.recorder -> Recorder<Recording, Never> -> Recording"))
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
      reads: cycle("Clock", "Clock.foundationTimer -> Timer -> closure capturing Clock")
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
      "a static property", at: #line + 3,
      reads: program("Cache", "Cache.shared[\"one\"] -> Cache")
    ) {
      await expectDeallocated {
        let cache = Cache()
        Cache.shared["one"] = cache
        return cache
      }
      Cache.shared = [:]
    } healthy: {
      await expectDeallocated { Cache() }
    },
    Leak(
      "an observer of the notification center", at: #line + 4,
      reads: shared("Player", "NotificationCenter.default -> closure capturing Player")
    ) {
      let observers = Log<Held<any NSObjectProtocol>>()
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) let held = player
        observers.append(
          Held(
            object: NotificationCenter.default
              .addObserver(forName: .init("pause"), object: nil, queue: nil) { _ in
                held.volume = 0
              }))
        return player
      }
      for held in observers.values { NotificationCenter.default.removeObserver(held.object) }
    } healthy: {
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) let held = player
        let observer = NotificationCenter.default
          .addObserver(forName: .init("pause"), object: nil, queue: nil) { _ in held.volume = 0 }
        NotificationCenter.default.removeObserver(observer)
        return player
      }
    },
    Leak(
      "a timer in the main run loop", at: #line + 7,
      reads: elsewhere("Player", "Timer -> closure capturing Player"),
      inSimulations: .reads(
        elsewhere("Player", "Timer -> closure capturing Player") + restless("Timer, due at *"))
    ) {
      // Only the run loop holds the timer. The complement of its address is no reference that a search could find.
      let complements = Log<UInt>()
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) let held = player
        let timer = Timer(timeInterval: 3600, repeats: true) { _ in held.volume = 0 }
        RunLoop.main.add(timer, forMode: .default)
        complements.append(~UInt(bitPattern: Unmanaged.passUnretained(timer).toOpaque()))
        return player
      }
      for complement in complements.values {
        let timer = UnsafeRawPointer(bitPattern: ~complement)!
        Unmanaged<Timer>.fromOpaque(timer).takeUnretainedValue().invalidate()
      }
    } healthy: {
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) weak let held = player
        Timer(timeInterval: 3600, repeats: true) { _ in held?.volume = 0 }.invalidate()
        return player
      }
    },
    Leak(
      "an operation that waits for its turn", at: #line + 6,
      reads: elsewhere(
        "Player", "closure capturing BlockOperation -> closure capturing Player")
    ) {
      let queue = OperationQueue()
      queue.isSuspended = true
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) let held = player
        queue.addOperation { held.volume = 0 }
        return player
      }
      queue.cancelAllOperations()
      queue.isSuspended = false
    } healthy: {
      await expectDeallocated {
        let player = Player()
        nonisolated(unsafe) let held = player
        OperationQueue().addOperation { held.volume = 0 }
        return player
      }
    },
    Leak(
      "others who hold each other", at: #line + 3,
      reads: others("Player", "Link.player -> Player", "Link.next -> Link.next -> Link")
    ) {
      await expectDeallocated {
        let (first, second) = (Link(), Link())
        first.next = second
        second.next = first
        second.player = Player()
        return second.player!
      }
    } healthy: {
      await expectDeallocated {
        let (first, second) = (Link(), Link())
        first.next = second
        second.weakNext = first
        second.player = Player()
        return second.player!
      }
    },
    Leak(
      "a chain that others hold", at: #line + 3,
      reads: others("Player", "Link.other -> Link.player -> Player", "Link.next -> Link")
    ) {
      await expectDeallocated {
        let (first, second) = (Link(), Link())
        first.next = first
        first.other = second
        second.player = Player()
        return second.player!
      }
    } healthy: {
      await expectDeallocated {
        let (first, second) = (Link(), Link())
        first.other = second
        second.player = Player()
        return second.player!
      }
    },
  ]
}
