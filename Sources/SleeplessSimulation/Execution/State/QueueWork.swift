import CRuntimeHooks

/// A block that code of a simulation has given to a queue of Dispatch.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class QueueWork: @unchecked Sendable {
  // Unchecked because of the pointers, and of the variables. Once the simulation has the block, they change under the
  // lock of its state, and are read there or while the block runs.

  enum Phase {
    /// It may not run yet.
    case waiting
    /// Its queue is reserved for it. It has a task, or its thread may go on.
    case reserved
    case running
    /// It has run.
    case over
    /// The simulation has it no more: the real queue runs it.
    case sentOn
  }

  let queue: UnsafeMutableRawPointer
  let block: UnsafeRawPointer
  let isBarrier: Bool
  /// The group that the block leaves when it has run.
  let group: UnsafeMutableRawPointer?
  /// Whether a thread waits for the block.
  let isSync: Bool
  /// Whose code has given the block to the queue.
  let creator: TaskTable.Creator
  var phase = Phase.waiting
  /// Is sent when it has run, if a thread waits for it that does not run it.
  let hasRun: ThreadSignal?
  /// The queue whose work it is, and the queues on which that one runs its work.
  var path: QueuePath
  /// What the block is, if it was not given to the queue as such.
  private let name: String?
  /// Whether it is the block of a run loop's timer, or one that the run loop is to perform.
  let isOfRunLoop: Bool
  /// Whether it was delayed, or is a block of a timer source.
  var isTimed: Bool
  /// Counts the blocks of a simulation in the order in which a queue was first reserved for them.
  var number: Int?
  /// How often its queue was reserved for it.
  var reservationCount = 0

  /// Retains its objects; a block for which a thread waits is the thread's.
  init(
    _ block: UnsafeRawPointer, on queue: UnsafeMutableRawPointer, path: QueuePath, isBarrier: Bool,
    group: UnsafeMutableRawPointer? = nil, isSync: Bool = false, name: String? = nil,
    isOfRunLoop: Bool = false, isTimed: Bool = false, from creator: TaskTable.Creator
  ) {
    self.name = name
    self.isOfRunLoop = isOfRunLoop
    self.isTimed = isTimed
    self.queue = queue
    self.path = path
    self.block = isSync ? block : UnsafeRawPointer(sleepless_copy_block(block))
    self.isBarrier = isBarrier
    self.group = group
    self.isSync = isSync
    self.creator = creator
    // A queue that was not activated may get the main queue as its target.
    hasRun = isSync && (path.runsOnMain || path.wasSuspended) ? ThreadSignal() : nil
    sleepless_retain_dispatch(queue)
    if let group { sleepless_retain_dispatch(group) }
  }

  deinit {
    if !isSync { sleepless_release_block(block) }
    if let group { sleepless_release_dispatch(group) }
    sleepless_release_dispatch(queue)
  }

  /// Whether the thread that waits runs the block. Blocks of the main queue, and of queues that target it, need the
  /// main actor.
  var runsOnCaller: Bool { isSync && !path.runsOnMain }

  /// Whether the thread that waits may go on.
  var letsWaiterGoOn: Bool {
    switch phase {
    case .waiting, .running: false
    case .reserved: runsOnCaller
    // A block for which a thread waits may have run on another one: on the main actor, or for a scheduler's work.
    case .over, .sentOn: true
    }
  }

  /// Whether code gave it to the main queue directly. Then it keeps its order with the jobs of the main actor, in their
  /// line. Delayed blocks, those of timers and those for `perform` have no place in that line: as without a simulation,
  /// they may come before or after what code gives to the main queue at that time.
  var belongsInLine: Bool { path.isMain && !isOfRunLoop && !isTimed }

  /// The key of the backlog in which it waits, first in, first out. The main queue has two: one for work that belongs in
  /// the main actor's line, and one for other work.
  var backlogKey: UInt {
    path.isMain && !belongsInLine ? Self.keyOutsideLine(of: path.queue) : path.queue
  }

  /// The key of the main queue's other backlog. No object has this address.
  static func keyOutsideLine(of mainQueue: UInt) -> UInt { mainQueue | 1 }

  /// Whether its queue or a target of it runs nothing now, because it is suspended or was not activated.
  var isSuspended: Bool { sleepless_is_suspended(queue) }

  /// Whether the block shares a queue of its path with no other one: the queue is serial, or it is the block's own, and
  /// the block is a barrier.
  func isExclusive(at index: Int) -> Bool {
    path.queues[index].isSerial || index == 0 && isBarrier
  }

  /// The queue, as lists of tasks show it.
  var queueName: String { name ?? Self.name(of: queue) }

  static func name(of queue: UnsafeMutableRawPointer) -> String {
    let label = String(cString: sleepless_queue_label(queue))
    // Foundation puts an address there, which is another one in each run.
    if label.hasPrefix("NSOperationQueue 0x") { return "an operation queue" }
    return label.isEmpty ? "a queue" : "queue \(label)"
  }

  /// The queue, as lists of tasks show a wait for it.
  var awaitedName: String {
    let name = queueName
    return name.hasPrefix("queue ") ? "the \(name)" : name
  }

  /// Runs the block as the queue would.
  func run() {
    // This thread is on the queue already, except in a run of the main run loop.
    if path.runsOnMain {
      sleepless_call_block(block)
    } else {
      sleepless_run_on_queue(queue, block, isBarrier)
    }
    if let group { sleepless_leave_group(group) }
  }

  /// Gives the block to the real queue.
  func sendOn() { sleepless_send_to_queue(queue, block, isBarrier, group) }
}

/// A queue and the queues on which it runs its work, as libdispatch's targets say. Queues are known by address. A run
/// of the main run loop in a block of the main queue has a path with a number in place of an address.
struct QueuePath {
  struct Queue {
    let address: UInt
    /// Whether it runs one block at a time.
    let isSerial: Bool
  }

  let queue: UInt
  /// The queue and its targets, without those of the system, on which any number of blocks may run.
  let queues: [Queue]
  let isMain: Bool
  /// Whether the queue is another one, and targets the main queue.
  let targetsMain: Bool
  /// Whether its blocks run on the main actor.
  var runsOnMain: Bool { isMain || targetsMain }
  /// Whether the queue itself runs one block at a time.
  var isQueueSerial: Bool { queues.first?.isSerial == true }
  /// Whether a queue was suspended. The target of one that was not activated may change.
  let wasSuspended: Bool

  /// Nil if simulations do not follow one of the queues.
  init?(of queue: UnsafeMutableRawPointer) {
    var queues: [Queue] = []
    var targetsMain = false
    var wasSuspended = false
    var next: UnsafeMutableRawPointer? = queue
    while let current = next {
      var state = sleepless_queue_state()
      guard sleepless_read_queue(current, &state) else { return nil }
      if state.target != nil {
        if current != queue, UnsafeRawPointer(current) == sleepless_main_queue() {
          targetsMain = true
        }
        queues.append(Queue(address: UInt(bitPattern: current), isSerial: state.is_serial))
      }
      wasSuspended = wasSuspended || state.is_suspended
      next = state.target
    }
    self.queue = UInt(bitPattern: queue)
    self.queues = queues
    isMain = UnsafeRawPointer(queue) == sleepless_main_queue()
    self.targetsMain = targetsMain
    self.wasSuspended = wasSuspended
  }

  /// The path of timers and performed blocks while a block of the main queue runs the run loop. Each such run has a
  /// number of its own.
  init(ofMainRun number: Int) {
    queue = UInt(2 * number + 1)  // odd, so no object has this address
    queues = [Queue(address: queue, isSerial: true)]
    isMain = true
    targetsMain = false
    wasSuspended = false
  }
}
