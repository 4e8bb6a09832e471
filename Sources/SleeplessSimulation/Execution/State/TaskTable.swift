import CRuntimeHooks
import Sleepless
import VirtualTime

/// The tasks of a simulation that have not ended, and what is known of each.
struct TaskTable: ~Copyable {
  struct Entry {
    let task: TaskPointer
    /// Counted from 0, in the order of making; 0 is the body.
    let number: Int
    let name: String?
    /// Whether nobody waits for its end: a task that is meant to live on. It must not change while the
    /// task sleeps, as sleeps are counted by it.
    var isBackground: Bool
    /// When it was last seen to run.
    fileprivate(set) var awake: Instant
    /// How often it was taken to run.
    private(set) var steps = 0
    fileprivate(set) var sleep: Sleep?
    /// How often it has fallen asleep.
    fileprivate(set) var sleepCount = 0
    /// What it waits for, if a helper of ours has said so.
    var reason: String?
    /// The actor that it was in when it was suspended, whose memory is held.
    fileprivate var resumptionActor: ActorPointer?
    /// Whether its jobs have to be recognised at the main executor.
    var isOnMain = false
    /// Whether it has left, not to wait but to run elsewhere, and has not come back since.
    fileprivate(set) var isAway = false

    // The tasks made before it and after it that have not ended either.
    fileprivate var previous: EntryPointer?
    fileprivate var next: EntryPointer?

    @_transparent
    mutating func run(at now: Instant) {
      steps &+= 1
      awake = now
      if reason != nil { reason = nil }
    }
  }

  /// Where what is known of a task stays until the task has ended.
  typealias EntryPointer = UnsafeMutablePointer<Entry>

  /// A sleep in the standard library's clocks.
  struct Sleep {
    /// What ends it in virtual time.
    let token: WorkToken?
    let until: Instant
    /// The job that ends it. It must run even if the sleep is cancelled: it frees memory.
    let alarm: UnownedJob
  }

  private var entries = AddressTable()
  private var first: EntryPointer?
  private var last: EntryPointer?
  private(set) var madeCount = 0
  /// How many sleeps of tasks that somebody waits for are under way, and how many others.
  private(set) var foregroundSleeps = 0
  private(set) var backgroundSleeps = 0
  /// How many tasks were in an actor when they were suspended.
  private var resumptionActorCount = 0
  /// The tasks that are away.
  private var away: [EntryPointer] = []

  deinit {
    var next = first
    while let entry = next {
      next = entry.pointee.next
      if let resumptionActor = entry.pointee.resumptionActor {
        sleepless_release_memory(resumptionActor.address)
      }
      entry.deinitialize(count: 1)
      entry.deallocate()
    }
  }

  // MARK: Who there is

  /// What is known of a task; nil if it is none of these.
  @_transparent
  func find(_ task: TaskPointer) -> EntryPointer? {
    guard let slot = entries.find(task.address), let entry = slot.pointee.value else { return nil }
    return entry.assumingMemoryBound(to: Entry.self)
  }

  subscript(task: TaskPointer) -> Entry? { find(task)?.pointee }

  @_transparent
  func isUnfinished(_ task: TaskPointer) -> Bool { entries.find(task.address) != nil }

  var isEmpty: Bool { first == nil }

  /// All of them, in the order of their making.
  var unfinished: [Entry] {
    var entries: [Entry] = []
    var next = first
    while let entry = next {
      entries.append(entry.pointee)
      next = entry.pointee.next
    }
    return entries
  }

  /// The body, unless it has ended.
  var body: TaskPointer? {
    guard let first, first.pointee.number == 0 else { return nil }
    return first.pointee.task
  }

  mutating func add(
    _ task: TaskPointer, name: String?, isBackground: Bool, at now: Instant
  ) -> EntryPointer {
    // One that was where this one is has ended unseen.
    if isUnfinished(task) { _ = remove(task) }
    let entry = EntryPointer.allocate(capacity: 1)
    entry.initialize(
      to: Entry(
        task: task, number: madeCount, name: name, isBackground: isBackground, awake: now,
        previous: last))
    madeCount &+= 1
    if let last { last.pointee.next = entry } else { first = entry }
    last = entry
    entries.insert(task.address, entry)
    return entry
  }

  mutating func remove(_ task: TaskPointer) -> Entry? {
    guard let slot = entries.find(task.address), let entry = find(task) else { return nil }
    if entry.pointee.sleep != nil { countSleep(of: entry, -1) }
    comeBack(entry)
    if let resumptionActor = entry.pointee.resumptionActor {
      resumptionActorCount &-= 1
      sleepless_release_memory(resumptionActor.address)
    }
    let (previous, next) = (entry.pointee.previous, entry.pointee.next)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
    entries.remove(slot)
    defer { entry.deallocate() }
    return entry.move()
  }

  /// Changes what is known of a task; nothing if it is none of these.
  func update(_ task: TaskPointer, _ change: (inout Entry) -> Void) {
    if let entry = find(task) { change(&entry.pointee) }
  }

  // MARK: Where they are

  /// Notes that a task has left to run elsewhere.
  mutating func leave(_ entry: EntryPointer) {
    if !entry.pointee.isAway { away.append(entry) }
    entry.pointee.isAway = true
  }

  /// Notes that it is back, if it was away.
  @_transparent
  mutating func comeBack(_ entry: EntryPointer) {
    guard entry.pointee.isAway else { return }
    away.removeAll { $0 == entry }
    entry.pointee.isAway = false
  }

  /// Whether a task runs or is about to, although none of its simulation's jobs does: on an executor
  /// of its own.
  var isAnyAtWork: Bool {
    away.contains { sleepless_can_run($0.pointee.task.address) }
  }

  /// Notes that a task that has been suspended is to go on in the actor where it was.
  @_transparent
  mutating func resumptionActor(_ entry: EntryPointer, in actor: ActorPointer) {
    sleepless_hold_memory(actor.address)
    resumptionActorCount &+= 1
    entry.pointee.resumptionActor = actor
  }

  /// Ends a task's stay in an actor, and returns the actor, held, unless it has gone.
  @_transparent
  mutating func takeResumptionActor(of entry: EntryPointer) -> ActorPointer? {
    guard resumptionActorCount > 0, let resumptionActor = entry.pointee.resumptionActor else {
      return nil
    }
    resumptionActorCount &-= 1
    entry.pointee.resumptionActor = nil
    defer { sleepless_release_memory(resumptionActor.address) }
    return sleepless_try_hold(resumptionActor.address) ? resumptionActor : nil
  }

  // MARK: Sleeping

  mutating func fallAsleep(_ entry: EntryPointer, _ sleep: Sleep, at now: Instant) {
    entry.pointee.sleep = sleep
    entry.pointee.sleepCount &+= 1
    entry.pointee.awake = now
    countSleep(of: entry, +1)
  }

  /// Ends a task's sleep, and returns it if there was one.
  @_transparent
  mutating func endSleep(of entry: EntryPointer) -> Sleep? {
    guard foregroundSleeps | backgroundSleeps != 0, let sleep = entry.pointee.sleep else {
      return nil
    }
    countSleep(of: entry, -1)
    entry.pointee.sleep = nil
    return sleep
  }

  /// Whether a task is in the sleep that this job ends.
  func isAsleep(_ entry: EntryPointer, with alarm: UnownedJob) -> Bool {
    guard let sleep = entry.pointee.sleep else { return false }
    return unsafeBitCast(sleep.alarm, to: UInt.self) == unsafeBitCast(alarm, to: UInt.self)
  }

  private mutating func countSleep(of entry: EntryPointer, _ change: Int) {
    if entry.pointee.isBackground {
      backgroundSleeps &+= change
    } else {
      foregroundSleeps &+= change
    }
  }
}
