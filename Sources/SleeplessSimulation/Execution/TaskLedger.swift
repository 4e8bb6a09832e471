import CSleepless
import Sleepless

/// The tasks of a simulation that have not ended, and what is known of each.
struct TaskLedger {
  struct Entry {
    /// Counted from 0, in the order of making; 0 is the body.
    let number: Int
    let name: String?
    /// Whether nobody waits for its end: a task that is meant to live on.
    var isBackground: Bool
    /// When it was last seen to run.
    var awake: Instant
    /// How often it was taken to run.
    var steps = 0
    var sleep: Sleep?
    /// What it waits for, if a helper of ours has said so.
    var reason: String?
    /// The actor that it was in when it was suspended, whose memory is held.
    var stay: ActorPointer?
    /// Whether its jobs have to be recognised at the main executor.
    var isOnMain = false

    mutating func run(at now: Instant) {
      steps += 1
      awake = now
      if reason != nil { reason = nil }
    }
  }

  /// A sleep in the standard library's clocks.
  struct Sleep {
    /// What ends it in virtual time.
    let token: WorkToken?
    let until: Instant
    /// The job that ends it. It must run even if the sleep is cancelled: it frees memory.
    let alarm: UnownedJob
  }

  private(set) var unfinished: [TaskPointer: Entry] = [:]
  private(set) var madeCount = 0
  /// How many sleeps of tasks that somebody waits for are under way, and how many others.
  private(set) var foregroundSleeps = 0
  private(set) var backgroundSleeps = 0

  /// How many tasks were in an actor when they were suspended.
  private var stays = 0

  /// The tasks whose jobs have to be recognised at the main executor.
  var onMain: [TaskPointer] {
    unfinished.isEmpty ? [] : unfinished.filter { $0.value.isOnMain }.map(\.key)
  }

  mutating func add(
    _ task: TaskPointer, name: String?, isBackground: Bool, at now: Instant
  ) {
    unfinished[task] = Entry(
      number: madeCount, name: name, isBackground: isBackground, awake: now)
    madeCount += 1
  }

  mutating func remove(_ task: TaskPointer) -> Entry? {
    let entry = unfinished.removeValue(forKey: task)
    if let entry, entry.sleep != nil { countSleep(of: entry, -1) }
    if let stay = entry?.stay {
      stays -= 1
      sleepless_release_memory(stay.address)
    }
    return entry
  }

  /// Changes what is known of a task; nothing if it is none of these.
  mutating func update(_ task: TaskPointer, _ change: (inout Entry) -> Void) {
    guard let index = unfinished.index(forKey: task) else { return }
    change(&unfinished.values[index])
  }

  /// Notes that a task is about to run.
  mutating func run(_ task: TaskPointer, at now: Instant) {
    guard let index = unfinished.index(forKey: task) else { return }
    unfinished.values[index].run(at: now)
  }

  /// Notes that a task that has been suspended is to go on in the actor where it was.
  mutating func stay(_ task: TaskPointer, in actor: ActorPointer) {
    guard let index = unfinished.index(forKey: task) else { return }
    sleepless_hold_memory(actor.address)
    stays += 1
    unfinished.values[index].stay = actor
  }

  /// Ends a task's stay in an actor, and returns the actor, held, unless it has gone.
  mutating func endStay(of task: TaskPointer) -> ActorPointer? {
    guard stays > 0, let index = unfinished.index(forKey: task),
      let stay = unfinished.values[index].stay
    else { return nil }
    stays -= 1
    unfinished.values[index].stay = nil
    defer { sleepless_release_memory(stay.address) }
    return sleepless_try_hold(stay.address) ? stay : nil
  }

  mutating func fallAsleep(_ task: TaskPointer, _ sleep: Sleep, at now: Instant) {
    update(task) { entry in
      entry.sleep = sleep
      entry.awake = now
    }
    if let entry = unfinished[task] { countSleep(of: entry, +1) }
  }

  /// Ends a task's sleep, and returns it if there was one.
  mutating func endSleep(of task: TaskPointer) -> Sleep? {
    guard foregroundSleeps + backgroundSleeps > 0, let entry = unfinished[task],
      let sleep = entry.sleep
    else { return nil }
    countSleep(of: entry, -1)
    update(task) { $0.sleep = nil }
    return sleep
  }

  /// Whether a task is in the sleep that this job ends.
  func isAsleep(_ task: TaskPointer, with alarm: UnownedJob) -> Bool {
    guard let sleep = unfinished[task]?.sleep else { return false }
    return unsafeBitCast(sleep.alarm, to: UInt.self) == unsafeBitCast(alarm, to: UInt.self)
  }

  mutating func setBackground(_ isBackground: Bool, _ task: TaskPointer) {
    update(task) { $0.isBackground = isBackground }
  }

  func isUnfinished(_ task: TaskPointer) -> Bool { unfinished[task] != nil }

  private mutating func countSleep(of entry: Entry, _ change: Int) {
    if entry.isBackground { backgroundSleeps += change } else { foregroundSleeps += change }
  }
}
