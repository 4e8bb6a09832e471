/// Who waits for which actor.
///
/// Each actor lets in its guests as they came: the first of them is at its door, which means among the
/// jobs that can run, and the others wait behind it.
struct ActorWaitQueues: ~Copyable {
  /// Somebody who waits behind others.
  private struct Waiter {
    let job: Job
    /// Who comes after; after the last comes the first.
    var next: UnsafeMutablePointer<Waiter>?
  }

  /// The last of those who wait behind the one at the door, if any, by actors at whose doors there is
  /// one.
  private var lines = AddressTable()

  deinit { if !isEmpty { _ = takeWaiters() } }

  /// Whether nobody is at any door.
  var isEmpty: Bool { lines.count == 0 }

  /// Brings a job to an actor; false if others are before it.
  @_transparent
  mutating func bring(_ job: Job, to actor: ActorPointer) -> Bool {
    guard let line = lines.find(actor.address) else {
      lines.insert(actor.address, nil)
      return true
    }
    let waiter = UnsafeMutablePointer<Waiter>.allocate(capacity: 1)
    waiter.initialize(to: Waiter(job: job, next: waiter))
    if let last = line.pointee.value?.assumingMemoryBound(to: Waiter.self) {
      waiter.pointee.next = last.pointee.next
      last.pointee.next = waiter
    }
    line.pointee.value = UnsafeMutableRawPointer(waiter)
    return false
  }

  /// Lets in the job at the door of an actor, and returns the next one, which is there now.
  @_transparent
  mutating func dequeue(to actor: ActorPointer) -> Job? {
    guard let line = lines.find(actor.address) else { return nil }
    guard let last = line.pointee.value?.assumingMemoryBound(to: Waiter.self) else {
      lines.remove(line)
      return nil
    }
    let first = last.pointee.next!
    if let second = first.pointee.next, first != last {
      last.pointee.next = second
    } else {
      line.pointee.value = nil
    }
    defer { first.deallocate() }
    return first.pointee.job
  }

  /// Takes all jobs that wait behind others.
  mutating func takeAll() -> [Job] {
    defer { lines = AddressTable() }
    return takeWaiters()
  }

  /// Frees all guests, whom nobody may ask for afterwards, and returns their jobs.
  private func takeWaiters() -> [Job] {
    var jobs: [Job] = []
    for case let line? in lines.values {
      let last = line.assumingMemoryBound(to: Waiter.self)
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
