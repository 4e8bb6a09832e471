import CRuntimeHooks
import Sleepless
import VirtualTime

/// The tasks that have not ended, with an entry for each.
struct TaskTable: ~Copyable {
  struct Entry {
    let task: TaskPointer
    /// Counted from 0, in the order of creation; 0 is the body of a simulation.
    let number: Int
    let name: String?
    /// Whether the task may be unfinished when the body ends, so that nothing waits for it. It must not
    /// change while the task sleeps, because the sleeps of background tasks are counted apart.
    var isBackground: Bool
    /// When the task ran last, or fell asleep.
    fileprivate(set) var awake: Instant
    /// How many of its jobs have run.
    private(set) var steps = 0
    fileprivate(set) var sleep: Sleep?
    /// How often it has fallen asleep.
    fileprivate(set) var sleepCount = 0
    /// The reason for its wait, if a helper of this library has given one.
    var reason: String?
    /// The actor in which it was suspended. The table retains the actor's memory.
    fileprivate var resumptionActor: ActorPointer?
    /// An address in the initializer of the global or static variable that created it; 0 if none did.
    var initializer: UInt = 0
    /// Whether it runs a block of a queue.
    var isBlock = false
    /// Whether it runs work of the main queue that does not belong in the main actor's line.
    var isOutsideLine = false
    /// The block in which its first job runs, if its queue targets the main queue.
    var blockOnMain: BlockOnMain?
    /// Whether the main executor recognises its jobs.
    var isOnMain = false
    /// Whether it has left the simulation to run on another executor.
    fileprivate(set) var isElsewhere = false

    // The unfinished tasks created before it and after it.
    fileprivate var previous: EntryPointer?
    fileprivate var next: EntryPointer?

    /// A copy for a record. It has no links: other objects may soon have the neighbours' memory, and a search of memory
    /// would take the links for references to them. The token of its sleep would keep the timeline, and with it the
    /// state that keeps the record.
    fileprivate var withoutLinks: Entry {
      var copy = self
      (copy.previous, copy.next) = (nil, nil)
      copy.sleep = sleep.map { Sleep(token: nil, until: $0.until, alarm: $0.alarm) }
      return copy
    }

    @_transparent
    mutating func run(at now: Instant) {
      steps &+= 1
      awake = now
      if reason != nil { reason = nil }
    }
  }

  /// Whose code creates a task.
  struct Creator {
    /// The number of the task that runs it; nil if none of the simulation's does.
    let number: Int?
    let isBackground: Bool
  }

  /// The address of a task's entry, which does not change until the task has ended.
  typealias EntryPointer = UnsafeMutablePointer<Entry>

  /// A sleep in the standard library's clocks.
  struct Sleep {
    /// Cancels the alarm in virtual time.
    let token: WorkToken?
    let until: Instant
    /// The job that ends the sleep. It must run even if the sleep is cancelled, because it frees memory.
    let alarm: UnownedJob
  }

  /// By the key of the task's address. With room for the tasks of a small test, so that it need not grow there.
  private var entries = [AddressKey: EntryPointer](minimumCapacity: 6)
  private var first: EntryPointer?
  private var last: EntryPointer?
  private(set) var madeCount = 0
  /// How many tasks sleep, background tasks left out.
  private(set) var foregroundSleeps = 0
  /// How many background tasks sleep.
  private(set) var backgroundSleeps = 0
  /// How many tasks have a resumption actor.
  private var resumptionActorCount = 0
  /// The tasks that have left for other executors.
  private var elsewhere: [EntryPointer] = []

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

  // MARK: Entries

  /// The entry of a task; nil if the task is not in the table.
  @_transparent
  func find(_ task: TaskPointer) -> EntryPointer? { entries[AddressKey(task.address)] }

  subscript(task: TaskPointer) -> Entry? { find(task)?.pointee.withoutLinks }

  @_transparent
  func isUnfinished(_ task: TaskPointer) -> Bool { find(task) != nil }

  var isEmpty: Bool { first == nil }

  /// All entries, in the order of creation.
  var unfinished: [Entry] {
    var entries: [Entry] = []
    var next = first
    while let entry = next {
      entries.append(entry.pointee.withoutLinks)
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
    // An older task at this address has ended, although its end was missed.
    if isUnfinished(task) { _ = remove(task) }
    let entry = EntryPointer.allocate(capacity: 1)
    entry.initialize(
      to: Entry(
        task: task, number: madeCount, name: name, isBackground: isBackground, awake: now,
        previous: last))
    madeCount &+= 1
    if let last { last.pointee.next = entry } else { first = entry }
    last = entry
    entries[AddressKey(task.address)] = entry
    return entry
  }

  mutating func remove(_ task: TaskPointer) -> Entry? {
    guard let entry = entries.removeValue(forKey: AddressKey(task.address)) else { return nil }
    if entry.pointee.sleep != nil { countSleep(of: entry, -1) }
    moveHere(entry)
    if let resumptionActor = entry.pointee.resumptionActor {
      resumptionActorCount &-= 1
      sleepless_release_memory(resumptionActor.address)
    }
    let (previous, next) = (entry.pointee.previous, entry.pointee.next)
    if let previous { previous.pointee.next = next } else { first = next }
    if let next { next.pointee.previous = previous } else { last = previous }
    defer { entry.deallocate() }
    return entry.move()
  }

  /// Changes the entry of a task; does nothing if the task is not in the table.
  func update(_ task: TaskPointer, _ change: (inout Entry) -> Void) {
    if let entry = find(task) { change(&entry.pointee) }
  }

  // MARK: Executors and actors

  /// Notes that a task has left the simulation to run on another executor.
  mutating func moveElsewhere(_ entry: EntryPointer) {
    if !entry.pointee.isElsewhere { elsewhere.append(entry) }
    entry.pointee.isElsewhere = true
  }

  /// Notes that a task is in the simulation again, if it had left.
  @_transparent
  mutating func moveHere(_ entry: EntryPointer) {
    guard entry.pointee.isElsewhere else { return }
    elsewhere.removeAll { $0 == entry }
    entry.pointee.isElsewhere = false
  }

  /// Whether a task runs on another executor, or is enqueued there.
  var isAnyRunningElsewhere: Bool {
    elsewhere.contains { sleepless_can_run($0.pointee.task.address) }
  }

  /// Notes the actor in which a task was suspended and will resume.
  @_transparent
  mutating func setResumptionActor(of entry: EntryPointer, _ actor: ActorPointer) {
    sleepless_hold_memory(actor.address)
    resumptionActorCount &+= 1
    entry.pointee.resumptionActor = actor
  }

  /// Takes the actor in which a task was suspended, retained; nil if there is none or it has been freed.
  @_transparent
  mutating func takeResumptionActor(of entry: EntryPointer) -> ActorPointer? {
    guard resumptionActorCount > 0, let resumptionActor = entry.pointee.resumptionActor else {
      return nil
    }
    resumptionActorCount &-= 1
    entry.pointee.resumptionActor = nil
    defer { sleepless_release_memory(resumptionActor.address) }
    return sleepless_try_retain(resumptionActor.address) ? resumptionActor : nil
  }

  // MARK: Sleeps

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
