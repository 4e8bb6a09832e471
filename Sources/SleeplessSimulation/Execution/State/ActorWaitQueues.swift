/// The jobs that wait for actors, in one queue for each actor.
///
/// The first job of each queue is among the jobs that can run; it is not stored here. The others wait
/// here until the first has been taken to run.
struct ActorWaitQueues: ~Copyable {
  /// A job that waits behind others.
  private struct Waiter {
    let job: Job
    /// The next waiter. The next of the last waiter is the first.
    var next: UnsafeMutablePointer<Waiter>?
  }

  private struct Queue {
    /// Whether its first job is among the jobs that can run.
    var isInUse = true
    /// The last waiter; nil if no job waits behind the first.
    var last: UnsafeMutablePointer<Waiter>?
  }

  /// By the key of the actor's address. A queue stays when it is empty, because the actor's next job comes soon;
  /// so each job costs one search.
  private var queues = [AddressKey: UnsafeMutablePointer<Queue>](minimumCapacity: 6)
  private var countInUse = 0

  deinit {
    if !isEmpty { _ = takeWaiters() }
    for queue in queues.values { queue.deallocate() }
  }

  /// Whether no job needs an actor.
  var isEmpty: Bool { countInUse == 0 }

  /// Whether a job for an actor is in its queue.
  func isInUse(_ actor: ActorPointer) -> Bool {
    queues[AddressKey(actor.address)]?.pointee.isInUse ?? false
  }

  /// Adds a job to the queue of an actor; true if it is the first there and so can run.
  @_transparent
  mutating func enqueue(_ job: Job, for actor: ActorPointer) -> Bool {
    let key = AddressKey(actor.address)
    guard let queue = queues[key] else {
      let queue = UnsafeMutablePointer<Queue>.allocate(capacity: 1)
      queue.initialize(to: Queue())
      queues[key] = queue
      countInUse &+= 1
      return true
    }
    if !queue.pointee.isInUse {
      queue.pointee.isInUse = true
      countInUse &+= 1
      return true
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
    waiter.initialize(to: Waiter(job: job, next: waiter))
    if let last = queue.pointee.last {
      waiter.pointee.next = last.pointee.next
      last.pointee.next = waiter
    }
    queue.pointee.last = waiter
    return false
  }

  /// Notes that the first job for an actor has been taken to run, and returns the next, which is the
  /// first now.
  @_transparent
  mutating func dequeue(to actor: ActorPointer) -> Job? {
    guard let queue = queues[AddressKey(actor.address)], queue.pointee.isInUse else { return nil }
    guard let last = queue.pointee.last else {
      queue.pointee.isInUse = false
      countInUse &-= 1
      return nil
    }
    let first = last.pointee.next!
    if let second = first.pointee.next, first != last {
      last.pointee.next = second
    } else {
      queue.pointee.last = nil
    }
    defer { first.deallocate() }
    return first.pointee.job
  }

  /// The tasks whose jobs wait behind others.
  var tasks: [TaskPointer] {
    var tasks: [TaskPointer] = []
    for queue in queues.values {
      guard let last = queue.pointee.last else { continue }
      var next = last.pointee.next
      repeat {
        tasks.append(next!.pointee.job.task)
        next = next!.pointee.next
      } while tasks.last != last.pointee.job.task
    }
    return tasks
  }

  /// Takes all jobs that wait behind others.
  mutating func takeAll() -> [Job] {
    countInUse = 0
    return takeWaiters()
  }

  private func takeWaiters() -> [Job] {
    var jobs: [Job] = []
    for queue in queues.values {
      var next = queue.pointee.last?.pointee.next
      queue.pointee.last?.pointee.next = nil
      queue.pointee = Queue(isInUse: false)
      while let waiter = next {
        next = waiter.pointee.next
        jobs.append(waiter.pointee.job)
        waiter.deallocate()
      }
    }
    return jobs
  }
}
