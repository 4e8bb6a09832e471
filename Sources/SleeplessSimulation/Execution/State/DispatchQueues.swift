import CRuntimeHooks

/// A block that code of a simulation has given to a queue of Dispatch.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class QueueWork: @unchecked Sendable {
  // Unchecked because of the pointers, and of the variable, which is used under the lock of the simulation's state.

  let queue: UnsafeMutableRawPointer
  let block: UnsafeRawPointer
  let isBarrier: Bool
  /// The group that the block leaves when it has run.
  let group: UnsafeMutableRawPointer?
  /// Whether a thread waits for the block.
  let isSync: Bool
  /// Whether the thread that waits may go on: its turn has come, or the block has run on the main actor.
  var letsWaiterGoOn = false
  /// The queue whose work it is, and the serial queues on which that one runs its work.
  let path: QueuePath

  /// Retains its objects; a block for which a thread waits is the thread's.
  init(
    _ block: UnsafeRawPointer, on queue: UnsafeMutableRawPointer, path: QueuePath, isBarrier: Bool,
    group: UnsafeMutableRawPointer? = nil, isSync: Bool = false
  ) {
    self.queue = queue
    self.path = path
    self.block = isSync ? block : UnsafeRawPointer(sleepless_copy_block(block))
    self.isBarrier = isBarrier
    self.group = group
    self.isSync = isSync
    sleepless_retain_dispatch(queue)
    if let group { sleepless_retain_dispatch(group) }
  }

  deinit {
    if !isSync { sleepless_release_block(block) }
    if let group { sleepless_release_dispatch(group) }
    sleepless_release_dispatch(queue)
  }

  /// Whether the thread that waits runs the block. The main queue's blocks need the main actor.
  var runsOnCaller: Bool { isSync && !path.isMain }

  /// The queue, as lists of tasks show it.
  var queueName: String {
    let label = String(cString: sleepless_queue_label(queue))
    return label.isEmpty ? "a queue" : "queue \(label)"
  }

  /// Runs the block as the queue would.
  func run() {
    // The main actor's thread has the main queue already.
    if path.isMain {
      sleepless_call_block(block)
    } else {
      sleepless_run_on_queue(queue, block, isBarrier)
    }
    if let group { sleepless_leave_group(group) }
  }
}

/// A queue and the queues on which it runs its work, as libdispatch's targets say. Queues are known by address.
struct QueuePath {
  let queue: UInt
  /// The serial ones, on which only one block runs at a time.
  let serial: [UInt]
  /// Whether the main queue is one of them.
  let isMain: Bool

  /// Nil if one of the queues is of a kind that simulations do not follow.
  init?(of queue: UnsafeMutableRawPointer) {
    var serial: [UInt] = []
    var isMain = false
    var next: UnsafeMutableRawPointer? = queue
    while let current = next {
      var state = sleepless_queue_state()
      guard sleepless_read_queue(current, &state) else { return nil }
      if UnsafeRawPointer(current) == sleepless_main_queue() { isMain = true }
      if state.is_serial { serial.append(UInt(bitPattern: current)) }
      next = state.target
    }
    self.queue = UInt(bitPattern: queue)
    self.serial = serial
    self.isMain = isMain
  }
}

/// The work that a simulation has to do on Dispatch's queues: which of it may run now.
///
/// A serial queue runs its blocks one after another, in their order. A concurrent one runs all that it has up to
/// its next barrier. A queue runs nothing while a block of the serial queue runs that it targets.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct DispatchQueues {
  /// The work of one queue.
  private struct Lane {
    /// What waits, from `first` on.
    var work: [QueueWork] = []
    var first = 0
    /// How many blocks run, if the queue is concurrent.
    var running = 0
    var runsBarrier = false

    var next: QueueWork? { first < work.count ? work[first] : nil }

    mutating func removeNext() {
      first += 1
      guard first == work.count else { return }
      work.removeAll(keepingCapacity: true)
      first = 0
    }
  }

  private var lanes: [UInt: Lane] = [:]
  /// The queues with work that waits, in the order in which they got it.
  private var waiting: [UInt] = []
  /// The serial queues of which a block runs, or of a queue that targets them.
  private var busy: Set<UInt> = []

  /// Whether work was waiting when it was last noted whether any is.
  private var wasWaiting = false

  var isWaitingNoted: Bool { wasWaiting != waiting.isEmpty }

  /// Notes whether work waits; nil if that has not changed.
  mutating func noteWaiting() -> Bool? {
    if isWaitingNoted { return nil }
    wasWaiting.toggle()
    return wasWaiting
  }

  mutating func add(_ work: QueueWork) {
    let queue = work.path.queue
    if lanes[queue]?.next == nil { waiting.append(queue) }
    lanes[queue, default: Lane()].work.append(work)
  }

  /// Takes the work that may run now.
  mutating func takeStartable() -> [QueueWork] {
    var startable: [QueueWork] = []
    for queue in waiting {
      while let work = lanes[queue]!.next, isFree(work), !isSuspended(work) {
        begin(work)
        startable.append(work)
      }
    }
    if !startable.isEmpty { waiting.removeAll { lanes[$0]?.next == nil } }
    return startable
  }

  private func isFree(_ work: QueueWork) -> Bool {
    guard work.path.serial.allSatisfy({ !busy.contains($0) }) else { return false }
    let lane = lanes[work.path.queue]!
    return work.isBarrier ? lane.running == 0 : !lane.runsBarrier
  }

  private func isSuspended(_ work: QueueWork) -> Bool {
    var state = sleepless_queue_state()
    return sleepless_read_queue(work.queue, &state) && state.is_suspended
  }

  private mutating func begin(_ work: QueueWork) {
    busy.formUnion(work.path.serial)
    lanes[work.path.queue]!.removeNext()
    lanes[work.path.queue]!.running += 1
    lanes[work.path.queue]!.runsBarrier = work.isBarrier
  }

  /// Notes that work has run.
  mutating func end(_ work: QueueWork) {
    busy.subtract(work.path.serial)
    guard var lane = lanes[work.path.queue] else { return }
    lane.running -= 1
    lane.runsBarrier = false
    // Another queue may have this address later.
    lanes[work.path.queue] = lane.running == 0 && lane.next == nil ? nil : lane
  }

  /// Takes everything that waits.
  mutating func takeAll() -> [QueueWork] {
    let all = waiting.flatMap { lanes[$0]!.work[lanes[$0]!.first...] }
    waiting = []
    lanes = [:]
    return all
  }
}
