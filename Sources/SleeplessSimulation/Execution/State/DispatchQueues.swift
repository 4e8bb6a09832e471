import CRuntimeHooks
import Sleepless
import VirtualTime

/// The work that a simulation has to do on Dispatch's queues: which of it may run now.
///
/// A serial queue runs its blocks one after another, in their order. A concurrent one runs all that it has up to
/// its next barrier. Blocks of a queue count as blocks of the queues that it targets, too. Blocks that code gives to the
/// main queue wait in the line of the main actor, behind its jobs that came before them.
///
/// A block gets its queue in two steps. First the queue is reserved for it, and no later block of that queue may come
/// first; in the main actor's line any number of blocks have a reservation. Then its task or its thread asks for the
/// queue and its targets, and gets them if no block runs there. So the order of the tasks decides between blocks of
/// several queues that have one target, and an exploration tries the orders.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct DispatchQueues {
  /// Work of one queue that waits, first in, first out.
  private struct Backlog {
    /// From `first` on.
    private var work: [QueueWork?]
    private var first = 0

    init(_ work: QueueWork) { self.work = [work] }

    var next: QueueWork { work[first]! }
    var all: [QueueWork] { work.compactMap { $0 } }

    mutating func append(_ next: QueueWork) { work.append(next) }

    /// Puts one back to its place among those that were put back before.
    mutating func putBack(_ returned: QueueWork) {
      let isLater = { (other: QueueWork?) in (other!.number ?? .max) > returned.number! }
      work.insert(returned, at: work[first...].firstIndex(where: isLater) ?? work.endIndex)
    }

    /// Removes the first one. Returns whether others are left.
    mutating func removeNext() -> Bool {
      work[first] = nil
      first += 1
      // Each block is moved once on average.
      if first > work.count / 2 {
        work.removeFirst(first)
        first = 0
      }
      return !work.isEmpty
    }

    /// Removes one. Returns whether others are left.
    mutating func remove(_ withdrawn: QueueWork) -> Bool {
      work = all.filter { $0 !== withdrawn }
      first = 0
      return !work.isEmpty
    }
  }

  /// Which queues are in use, or which backlogs have reservations. The system's queues are not counted.
  private struct Uses {
    private struct Use {
      var blocks = 0
      /// Whether no other block may: the queue is serial, or the block is a barrier.
      var isExclusive = false
    }

    private var uses = [UInt: Use]()

    /// Whether another block may use it.
    func allow(_ key: UInt, isExclusive: Bool) -> Bool {
      guard let use = uses[key] else { return true }
      return !use.isExclusive && !isExclusive
    }

    mutating func begin(_ key: UInt, isExclusive: Bool) {
      uses[key, default: Use()].blocks += 1
      uses[key]!.isExclusive = isExclusive
    }

    mutating func end(_ key: UInt) {
      guard var use = uses[key] else { return }
      use.blocks -= 1
      use.isExclusive = false
      // Another queue may have this address later.
      uses[key] = use.blocks == 0 ? nil : use
    }
  }

  /// A run of the main run loop by work of the main queue.
  private struct MainRun {
    /// The work that runs it.
    let work: QueueWork
    /// The path of timers and performed blocks meanwhile; nil if `work` is one of them, so that they keep theirs.
    let path: QueuePath?
  }

  // A debug build takes 500 instructions for each `[:]`, because it makes an array of pairs. Every simulation makes
  // these dictionaries, so they are made without one.
  private var backlogs = [UInt: Backlog]()
  /// The keys of the backlogs. The one that has had work longest comes first.
  private var waiting: [UInt] = []
  /// The queues of the blocks that run, and their targets.
  private var uses = Uses()
  /// The blocks for which their queues are reserved, and that do not run yet.
  private var reserved = [ObjectIdentifier: QueueWork]()
  /// The backlogs of those blocks.
  private var reservations = Uses()
  /// The work of the main queue, and of queues that target it, that runs, the innermost last: it may run the run loop,
  /// which runs other work.
  private var mainWork: [QueueWork] = []
  /// The innermost last.
  private var mainRuns: [MainRun] = []
  private var mainRunCount = 0
  /// Whether code of the simulation has put a timer or a block on the run loop of a thread other than the main one.
  var usesRunLoops = false
  /// How many runs of the main run loop are under way in which Dispatch calls no blocks of queues that target the main
  /// queue.
  private var mainRunsWithoutQueues = 0
  private var lastNumber = 0
  private var delays = DelayedBlocks()
  /// The blocks whose deadline is never reached. They are kept until the simulation is over.
  private var neverDue: [QueueWork] = []

  var operations = ReadyOperations()

  /// The blocks for which threads have waited since before the simulation was closed.
  private var awaitedAfterClose: [QueueWork] = []

  /// Whether a block waits for a queue that is suspended.
  private(set) var isAnySuspended = false
  /// Whether the simulation is known as one that is to be told when a queue goes on.
  var isToldOfQueues = false
  /// How many blocks of background tasks wait for their deadlines.
  var backgroundDelays = 0
  /// How many calls of `concurrentPerform` have drawn an order.
  var shuffledPerforms: UInt64 = 0

  // MARK: From waiting to running

  mutating func add(_ work: QueueWork) {
    if work.isOfRunLoop, let path = pathOfRunLoop { work.path = path }
    let key = work.backlogKey
    if backlogs[key] != nil {
      backlogs[key]!.append(work)
    } else {
      backlogs[key] = Backlog(work)
      waiting.append(key)
    }
  }

  mutating func delay(_ work: QueueWork, until due: Instant) { delays.add(work, until: due) }

  /// Takes a block whose deadline has been reached.
  mutating func takeDelayed(inPlaceOf work: QueueWork) -> QueueWork {
    delays.take(inPlaceOf: work)
  }

  mutating func keepForever(_ work: QueueWork) { neverDue.append(work) }

  /// A reservation of its queue for a block.
  struct Reservation {
    let work: QueueWork
    /// The block's path when the queue was reserved.
    let path: QueuePath
    /// Counts the reservations for this block.
    let number: Int
    /// Whether the thread that waits for the block runs it.
    let runsOnCaller: Bool

    /// Under the lock of the simulation's state, as others may change the block.
    fileprivate init(of work: QueueWork) {
      (self.work, path, number) = (work, work.path, work.reservationCount)
      runsOnCaller = work.runsOnCaller
    }
  }

  /// Takes the work that may run now, and the work that is for the real queues since a queue has got another target.
  mutating func takeStartable() -> (startable: [Reservation], sentOn: [QueueWork]) {
    var (startable, sentOn): ([Reservation], [QueueWork]) = ([], [])
    isAnySuspended = false
    for key in waiting {
      while let work = backlogs[key]?.next {
        if work.path.wasSuspended {
          guard let path = path(of: work) else {
            removeNext(of: key)
            work.phase = .sentOn
            sentOn.append(work)
            continue
          }
          work.path = path
        }
        guard canReserve(work) else { break }
        guard !work.isSuspended else {
          isAnySuspended = true
          break
        }
        reserve(work)
        startable.append(Reservation(of: work))
      }
    }
    removeEmptyBacklogs()
    return (startable, sentOn)
  }

  /// The path of a block as it is now.
  private func path(of work: QueueWork) -> QueuePath? {
    QueuePath(of: work.queue)
  }

  private mutating func removeNext(of key: UInt) {
    if !backlogs[key]!.removeNext() { backlogs[key] = nil }
  }

  /// The blocks that wait. One for which a thread waits is listed with that, unless its queue is suspended.
  var waitingBlocks: [(queueName: String, reason: WaitingBlocks.Reason)] {
    waiting.flatMap { backlogs[$0]?.all ?? [] }.compactMap { work in
      if work.creator.isBackground { return nil }
      if work.isSuspended { return (work.queueName, .suspendedQueue) }
      return work.isSync ? nil : (work.queueName, .blockBefore)
    }
  }

  /// Whether a first block waits for a queue, as its own or as a target.
  func waits(for address: UInt) -> Bool {
    waiting.contains { key in
      guard let next = backlogs[key]?.next else { return false }
      let path = next.path.wasSuspended ? path(of: next) : next.path
      // A queue with a target that simulations do not follow has got it before it was activated.
      return path?.queues.contains { $0.address == address } ?? (next.path.queue == address)
    }
  }

  /// Whether a block may run: its queue and the targets of that are free, and Dispatch calls blocks of that queue now.
  private func isFree(_ work: QueueWork) -> Bool {
    if work.path.targetsMain, mainRunsWithoutQueues > 0 { return false }
    return work.path.queues.indices.allSatisfy { index in
      uses.allow(work.path.queues[index].address, isExclusive: work.isExclusive(at: index))
    }
  }

  /// Whether a block's queue may be reserved for it: it then gets a task, or its thread may go on.
  private func canReserve(_ work: QueueWork) -> Bool {
    if mayWaitInLine(work) { return true }
    guard isFree(work) else { return false }
    guard !work.path.queues.isEmpty else { return true }
    return reservations.allow(work.backlogKey, isExclusive: work.isExclusive(at: 0))
  }

  /// Whether a block may wait in the line of the main actor: not while a queue that targets the main queue runs a block
  /// there, nor during a run of the main run loop. It then stays in its backlog.
  private func mayWaitInLine(_ work: QueueWork) -> Bool {
    work.belongsInLine && mainRuns.isEmpty && !mainWork.contains(where: \.path.targetsMain)
  }

  private mutating func reserve(_ work: QueueWork) {
    work.phase = .reserved
    if work.number == nil {
      lastNumber += 1
      work.number = lastNumber
    }
    reserved[ObjectIdentifier(work)] = work
    work.reservationCount += 1
    if !work.path.queues.isEmpty {
      reservations.begin(work.backlogKey, isExclusive: work.isExclusive(at: 0))
    }
    removeNext(of: work.backlogKey)
  }

  private mutating func endReservation(of work: QueueWork) {
    reserved[ObjectIdentifier(work)] = nil
    if !work.path.queues.isEmpty { reservations.end(work.backlogKey) }
  }

  private mutating func removeEmptyBacklogs() {
    if backlogs.count < waiting.count { waiting.removeAll { backlogs[$0] == nil } }
  }

  /// What becomes of a block when its task or its thread is about to run it.
  enum Start {
    case runs
    /// The queue has been suspended, or a target of it is in use. The block waits again.
    case waits
    /// Not here: it has run, the real queue has it, or another task runs it, because the reservation for this one has
    /// ended.
    case isOver
  }

  mutating func start(_ reservation: Reservation) -> Start {
    holds(reservation) ? start(reservation.work) : .isOver
  }

  private func holds(_ reservation: Reservation) -> Bool {
    reservation.work.reservationCount == reservation.number
  }

  mutating func start(_ work: QueueWork) -> Start {
    guard work.phase == .reserved, isFree(work), !work.isSuspended else { return putBack(work) }
    endReservation(of: work)
    work.phase = .running
    beginUse(of: work)
    if work.path.runsOnMain { mainWork.append(work) }
    return .runs
  }

  /// Lets a block wait again, if this reservation for it holds.
  mutating func putBack(_ reservation: Reservation) -> Start {
    holds(reservation) ? putBack(reservation.work) : .isOver
  }

  private mutating func putBack(_ work: QueueWork) -> Start {
    guard work.phase == .reserved else { return .isOver }
    endReservation(of: work)
    work.phase = .waiting
    let key = work.backlogKey
    if backlogs[key] != nil {
      backlogs[key]!.putBack(work)
    } else {
      backlogs[key] = Backlog(work)
      waiting.append(key)
    }
    return .waits
  }

  /// Notes that work has run.
  mutating func end(_ work: QueueWork) {
    work.phase = .over
    endUse(of: work)
    if work.path.runsOnMain { mainWork.removeAll { $0 === work } }
  }

  private mutating func beginUse(of work: QueueWork) {
    for (index, queue) in work.path.queues.enumerated() {
      uses.begin(queue.address, isExclusive: work.isExclusive(at: index))
    }
  }

  private mutating func endUse(of work: QueueWork) {
    for queue in work.path.queues { uses.end(queue.address) }
  }

  // MARK: Runs of the main run loop

  /// Notes that the innermost work of the main queue runs the main run loop. False if there is none, or if it does so
  /// already: then a job of the main actor runs the run loop in that run.
  ///
  /// If that work is a timer or a performed block, everything that waits for the main queue may run meanwhile, as in
  /// Core Foundation. If it is a block of the main queue, only timers and performed blocks may.
  mutating func beginMainRun() -> Bool {
    guard let work = mainWork.last, mainRuns.last?.work !== work else { return false }
    if work.isOfRunLoop {
      mainRuns.append(MainRun(work: work, path: nil))
      endUse(of: work)
    } else {
      mainRunCount += 1
      mainRuns.append(MainRun(work: work, path: QueuePath(ofMainRun: mainRunCount)))
      moveWorkOfRunLoop(from: pathOfMain(in: work).queue, to: pathOfRunLoop!)
    }
    return true
  }

  mutating func endMainRun() {
    let run = mainRuns.removeLast()
    guard let path = run.path else { return beginUse(of: run.work) }
    moveWorkOfRunLoop(from: path.queue, to: pathOfRunLoop ?? pathOfMain(in: run.work))
  }

  /// Lets blocks of queues that target the main queue wait, during a run of the main run loop.
  mutating func beginRunWithoutQueues() { mainRunsWithoutQueues += 1 }

  mutating func endRunWithoutQueues() { mainRunsWithoutQueues -= 1 }

  /// The path of the main queue. Work of that queue has it, and the path of other work on the main actor ends with it.
  private func pathOfMain(in work: QueueWork) -> QueuePath {
    guard work.path.targetsMain, let main = sleepless_main_queue_object() else { return work.path }
    return QueuePath(of: main) ?? work.path
  }

  /// The path of timers and performed blocks while a block of the main queue runs the run loop.
  private var pathOfRunLoop: QueuePath? { mainRuns.last { $0.path != nil }?.path }

  /// Moves timers and performed blocks that do not run yet, in their order. One for which the queue was reserved has a
  /// task, which then does nothing.
  private mutating func moveWorkOfRunLoop(from queue: UInt, to path: QueuePath) {
    let reserved = reserved.values.filter { $0.path.queue == queue && $0.isOfRunLoop }
    let waiting = backlogs[QueueWork.keyOutsideLine(of: queue)]?.all.filter(\.isOfRunLoop) ?? []
    for work in reserved.sorted(by: { $0.number! < $1.number! }) + waiting {
      _ = withdraw(work)
      work.phase = .waiting
      work.path = path
      add(work)
    }
  }

  // MARK: Work that runs before its turn, or not at all

  /// Takes the next block that has to run before another one can; that one itself if none has to. Nil if that cannot
  /// be, because a block that runs already has the queue, or because the queue is suspended.
  mutating func takeNext(for work: QueueWork) -> QueueWork? {
    let queues = Set(work.path.queues.map(\.address))
    let next = reserved.values.filter { $0.path.queues.contains { queues.contains($0.address) } }
      .min { $0.number! < $1.number! }
    if next == nil, let first = backlogs[work.backlogKey]?.next {
      guard canReserve(first), !first.isSuspended else { return nil }
      reserve(first)
      removeEmptyBacklogs()
      return first
    }
    return next
  }

  /// Takes back a block that does not run yet; false if it runs or has run.
  mutating func withdraw(_ work: QueueWork) -> Bool {
    switch work.phase {
    case .waiting:
      if var rest = backlogs[work.backlogKey] {
        backlogs[work.backlogKey] = rest.remove(work) ? rest : nil
        removeEmptyBacklogs()
      }
    case .reserved: endReservation(of: work)
    case .running, .over: return false
    case .sentOn: break
    }
    work.phase = .sentOn
    return true
  }

  // MARK: The end

  /// Takes everything that does not run yet, for the real queues, and what is never due, or not in this simulation.
  /// Threads that wait keep their blocks.
  mutating func takeAll() -> (sentOn: [QueueWork], neverDue: [QueueWork]) {
    let reserved = reserved.values.filter { !$0.isSync }.sorted { $0.number! < $1.number! }
    for work in reserved { endReservation(of: work) }
    let waiting = waiting.flatMap { backlogs[$0]?.all ?? [] }
    awaitedAfterClose += waiting.filter(\.isSync)
    (backlogs, self.waiting, isAnySuspended) = ([:], [], false)
    let sentOn = reserved + waiting.filter { !$0.isSync } + operations.takeKept()
    for work in sentOn { work.phase = .sentOn }
    defer { neverDue = [] }
    return (sentOn, neverDue + delays.takeAll())
  }

  /// Takes the blocks whose threads may go to the real queues, when those of the simulation have been taken. A thread
  /// that waits for a block of the simulation still waits for it.
  mutating func takeFreeAfterClose() -> [QueueWork] {
    if awaitedAfterClose.isEmpty { return [] }
    let free = awaitedAfterClose.filter(isFree)
    awaitedAfterClose.removeAll(where: isFree)
    return free
  }
}
