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

  /// The last waiter by actor, nil if only the first job of the queue is left.
  private var queues = AddressTable()

  deinit { if !isEmpty { _ = takeWaiters() } }

  /// Whether no job needs an actor.
  var isEmpty: Bool { queues.count == 0 }

  /// Adds a job to the queue of an actor; true if it is the first there and so can run.
  @_transparent
  mutating func enqueue(_ job: Job, for actor: ActorPointer) -> Bool {
    guard let queue = queues.find(actor.address) else {
      queues.insert(actor.address, nil)
      return true
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
    waiter.initialize(to: Waiter(job: job, next: waiter))
    if let last = queue.pointee.value?.assumingMemoryBound(to: Waiter.self) {
      waiter.pointee.next = last.pointee.next
      last.pointee.next = waiter
    }
    queue.pointee.value = UnsafeMutableRawPointer(waiter)
    return false
  }

  /// Notes that the first job for an actor has been taken to run, and returns the next, which is the
  /// first now.
  @_transparent
  mutating func dequeue(to actor: ActorPointer) -> Job? {
    guard let queue = queues.find(actor.address) else { return nil }
    guard let last = queue.pointee.value?.assumingMemoryBound(to: Waiter.self) else {
      queues.remove(queue)
      return nil
    }
    let first = last.pointee.next!
    if let second = first.pointee.next, first != last {
      last.pointee.next = second
    } else {
      queue.pointee.value = nil
    }
    defer { first.deallocate() }
    return first.pointee.job
  }

  /// Takes all jobs that wait behind others.
  mutating func takeAll() -> [Job] {
    defer { queues = AddressTable() }
    return takeWaiters()
  }

  /// Frees all waiters and returns their jobs. The queues must not be used afterwards.
  private func takeWaiters() -> [Job] {
    var jobs: [Job] = []
    for case let queue? in queues.values {
      let last = queue.assumingMemoryBound(to: Waiter.self)
      var next = last.pointee.next
      last.pointee.next = nil
      while let waiter = next {
        next = waiter.pointee.next
        jobs.append(waiter.pointee.job)
        waiter.deallocate()
      }
    }
    return jobs
  }
}
