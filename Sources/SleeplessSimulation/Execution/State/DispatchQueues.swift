import Sleepless

/// The work that a simulation has to do on Dispatch's queues: which of it may run now.
///
/// A serial queue runs its blocks one after another, in their order. A concurrent one runs all that it has up to
/// its next barrier. Blocks of a queue count as blocks of the queues that it targets, too.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct DispatchQueues {
  /// The work of one queue that waits, first in, first out.
  private struct Lane {
    /// From `first` on.
    private var work: [QueueWork?]
    private var first = 0

    init(_ work: QueueWork) { self.work = [work] }

    var next: QueueWork { work[first]! }
    var all: [QueueWork] { work.compactMap { $0 } }

    mutating func append(_ next: QueueWork) { work.append(next) }

    mutating func putBack(_ next: QueueWork) {
      if first == 0 {
        work.insert(next, at: 0)
      } else {
        first -= 1
        work[first] = next
      }
    }

    /// Removes the first one. Returns whether others are left.
    mutating func removeNext() -> Bool {
      work[first] = nil
      first += 1
      return first < work.count
    }

    /// Removes one. Returns whether others are left.
    mutating func remove(_ withdrawn: QueueWork) -> Bool {
      work = all.filter { $0 !== withdrawn }
      first = 0
      return !work.isEmpty
    }
  }

  /// How blocks use a queue that is no queue of the system's.
  private struct Use {
    var blocks = 0
    /// Whether no other block may run: the queue is serial, or the block is a barrier.
    var isExclusive = false
  }

  private var lanes: [UInt: Lane] = [:]
  /// The queues with work that waits, in the order in which they got it.
  private var waiting: [UInt] = []
  private var uses: [UInt: Use] = [:]
  /// The blocks that have their queues, and do not run yet.
  private var begun: [ObjectIdentifier: QueueWork] = [:]
  private var begunCount = 0

  /// The blocks for which threads wait since before the simulation was closed.
  private var leftThreads: [QueueWork] = []

  /// Whether a block waits for a queue that is suspended.
  private(set) var isAnySuspended = false
  /// Whether the simulation is to be told when a queue goes on.
  var isToldOfQueues = false
  /// How many blocks of background tasks wait for their deadlines.
  var backgroundDelays = 0

  // MARK: From waiting to running

  mutating func add(_ work: QueueWork) {
    let queue = work.path.queue
    if lanes[queue] != nil {
      lanes[queue]!.append(work)
    } else {
      lanes[queue] = Lane(work)
      waiting.append(queue)
    }
  }

  /// Takes the work that may run now.
  mutating func takeStartable() -> [QueueWork] {
    var startable: [QueueWork] = []
    isAnySuspended = false
    for queue in waiting {
      while let work = lanes[queue]?.next {
        if work.path.wasSuspended, let path = QueuePath(of: work.queue) { work.path = path }
        guard isFree(work) else { break }
        guard !work.isSuspended else {
          isAnySuspended = true
          break
        }
        begin(work)
        startable.append(work)
      }
    }
    if !startable.isEmpty { removeEmptyLanes() }
    return startable
  }

  /// Whether the first block of a queue needs a queue, as its own or as a target.
  func needs(_ address: UInt) -> Bool {
    waiting.contains { queue in
      guard let next = lanes[queue]?.next else { return false }
      let path = next.path.wasSuspended ? QueuePath(of: next.queue) : next.path
      return path?.queues.contains { $0.address == address } ?? true
    }
  }

  private func isFree(_ work: QueueWork) -> Bool {
    for (index, queue) in work.path.queues.enumerated() {
      guard let use = uses[queue.address] else { continue }
      if use.isExclusive || queue.isSerial || index == 0 && work.isBarrier { return false }
    }
    return true
  }

  private mutating func begin(_ work: QueueWork) {
    work.phase = .begun
    begunCount += 1
    work.number = begunCount
    begun[ObjectIdentifier(work)] = work
    for (index, queue) in work.path.queues.enumerated() {
      uses[queue.address, default: Use()].blocks += 1
      uses[queue.address]!.isExclusive = queue.isSerial || index == 0 && work.isBarrier
    }
    if !lanes[work.path.queue]!.removeNext() { lanes[work.path.queue] = nil }
  }

  private mutating func removeEmptyLanes() { waiting.removeAll { lanes[$0] == nil } }

  private mutating func freeQueues(of work: QueueWork) {
    for queue in work.path.queues {
      guard var use = uses[queue.address] else { continue }
      use.blocks -= 1
      use.isExclusive = false
      // Another queue may have this address later.
      uses[queue.address] = use.blocks == 0 ? nil : use
    }
  }

  /// What becomes of a block that has its queue, when its task or its thread is about to run it.
  enum Start {
    case runs
    /// The queue has been suspended. The block waits again.
    case waits
    /// Not here: it has run already, or the real queue has it.
    case isOver
  }

  mutating func start(_ work: QueueWork) -> Start {
    guard work.phase == .begun else { return .isOver }
    begun[ObjectIdentifier(work)] = nil
    guard !work.isSuspended else {
      freeQueues(of: work)
      work.phase = .waiting
      let queue = work.path.queue
      if lanes[queue] != nil {
        lanes[queue]!.putBack(work)
      } else {
        lanes[queue] = Lane(work)
        waiting.append(queue)
      }
      return .waits
    }
    work.phase = .running
    return .runs
  }

  /// Notes that work has run.
  mutating func end(_ work: QueueWork) {
    work.phase = .over
    freeQueues(of: work)
  }

  // MARK: Work that runs before its turn, or not at all

  /// Takes the next block that has to run before another one can; that one itself if none has to. Nil if that cannot
  /// be, because a block that runs already has the queue, or because the queue is suspended.
  mutating func takeNext(for work: QueueWork) -> QueueWork? {
    let queues = Set(work.path.queues.map(\.address))
    let next = begun.values.filter { $0.path.queues.contains { queues.contains($0.address) } }
      .min { $0.number < $1.number }
    if next == nil, let first = lanes[work.path.queue]?.next {
      guard isFree(first), !first.isSuspended else { return nil }
      begin(first)
      removeEmptyLanes()
      return first
    }
    return next
  }

  /// Takes back a block that does not run yet; false if it runs or has run.
  mutating func withdraw(_ work: QueueWork) -> Bool {
    switch work.phase {
    case .waiting:
      if let lane = lanes[work.path.queue] {
        var rest = lane
        lanes[work.path.queue] = rest.remove(work) ? rest : nil
        removeEmptyLanes()
      }
    case .begun:
      begun[ObjectIdentifier(work)] = nil
      freeQueues(of: work)
    case .running, .over: return false
    }
    work.phase = .over
    return true
  }

  // MARK: The end

  /// Takes everything that does not run yet, for the real queues. Threads that wait keep their blocks.
  mutating func takeAll() -> [QueueWork] {
    let begun = begun.values.filter { !$0.isSync }.sorted { $0.number < $1.number }
    for work in begun {
      freeQueues(of: work)
      self.begun[ObjectIdentifier(work)] = nil
    }
    let waiting = waiting.flatMap { lanes[$0]?.all ?? [] }
    leftThreads += waiting.filter(\.isSync)
    (lanes, self.waiting, isAnySuspended) = ([:], [], false)
    let all = begun + waiting.filter { !$0.isSync }
    for work in all { work.phase = .over }
    return all
  }

  /// Takes the blocks whose threads may go to the real queues, when those of the simulation have been taken. A thread that
  /// waits for a block of the simulation still waits for it.
  mutating func takeFreeThreads() -> [QueueWork] {
    if leftThreads.isEmpty { return [] }
    let free = leftThreads.filter(isFree)
    leftThreads.removeAll(where: isFree)
    return free
  }
}
