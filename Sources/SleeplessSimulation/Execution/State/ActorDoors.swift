/// Who waits for which actor.
///
/// Each actor lets in its guests as they came: the first of them is at its door, which means among the
/// jobs that can run, and the others wait behind it.
struct ActorDoors: ~Copyable {
  /// Somebody who waits behind others.
  private struct Guest {
    let job: Job
    /// Who comes after; after the last comes the first.
    var next: UnsafeMutablePointer<Guest>?
  }

  /// The last of those who wait behind the one at the door, if any, by actors at whose doors there is
  /// one.
  private var lines = AddressTable()

  deinit { if !isEmpty { _ = takeGuests() } }

  /// Whether nobody is at any door.
  var isEmpty: Bool { lines.count == 0 }

  /// Brings a job to an actor; false if others are before it.
  @_transparent
  mutating func bring(_ job: Job, to actor: ActorPointer) -> Bool {
    guard let line = lines.find(actor.address) else {
      lines.insert(actor.address, nil)
      return true
    }
    let guest = UnsafeMutablePointer<Guest>.allocate(capacity: 1)
    guest.initialize(to: Guest(job: job, next: guest))
    if let last = line.pointee.value?.assumingMemoryBound(to: Guest.self) {
      guest.pointee.next = last.pointee.next
      last.pointee.next = guest
    }
    line.pointee.value = UnsafeMutableRawPointer(guest)
    return false
  }

  /// Lets in the job at the door of an actor, and returns the next one, which is there now.
  @_transparent
  mutating func letIn(to actor: ActorPointer) -> Job? {
    guard let line = lines.find(actor.address) else { return nil }
    guard let last = line.pointee.value?.assumingMemoryBound(to: Guest.self) else {
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
    return takeGuests()
  }

  /// Frees all guests, whom nobody may ask for afterwards, and returns their jobs.
  private func takeGuests() -> [Job] {
    var jobs: [Job] = []
    for case let line? in lines.values {
      let last = line.assumingMemoryBound(to: Guest.self)
      var next = last.pointee.next
      last.pointee.next = nil
      while let guest = next {
        next = guest.pointee.next
        jobs.append(guest.pointee.job)
        guest.deallocate()
      }
    }
    return jobs
  }
}
