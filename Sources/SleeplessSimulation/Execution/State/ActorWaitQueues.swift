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

  /// The last waiter by the key of the actor's address, nil if only the first job of the queue is left.
  private var queues: [UInt: UnsafeMutablePointer<Waiter>?] = [:]

  deinit { if !isEmpty { _ = takeWaiters() } }

  /// Whether no job needs an actor.
  var isEmpty: Bool { queues.count == 0 }

  /// Adds a job to the queue of an actor; true if it is the first there and so can run.
  @_transparent
  mutating func enqueue(_ job: Job, for actor: ActorPointer) -> Bool {
    let key = addressKey(actor.address)
    guard let queue = queues[key] else {
      queues.updateValue(nil, forKey: key)
      return true
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
    waiter.initialize(to: Waiter(job: job, next: waiter))
    if let last = queue {
      waiter.pointee.next = last.pointee.next
      last.pointee.next = waiter
    }
    queues.updateValue(waiter, forKey: key)
    return false
  }

  /// Notes that the first job for an actor has been taken to run, and returns the next, which is the
  /// first now.
  @_transparent
  mutating func dequeue(to actor: ActorPointer) -> Job? {
    let key = addressKey(actor.address)
    guard let queue = queues[key] else { return nil }
    guard let last = queue else {
      queues.removeValue(forKey: key)
      return nil
    }
    let first = last.pointee.next!
    if let second = first.pointee.next, first != last {
      last.pointee.next = second
    } else {
      queues.updateValue(nil, forKey: key)
    }
    defer { first.deallocate() }
    return first.pointee.job
  }

  /// Takes all jobs that wait behind others.
  mutating func takeAll() -> [Job] {
    defer { queues = [:] }
    return takeWaiters()
  }

  /// Frees all waiters and returns their jobs. The queues must not be used afterwards.
  private func takeWaiters() -> [Job] {
    var jobs: [Job] = []
    for case let last? in queues.values {
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
