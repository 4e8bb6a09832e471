/// Who waits for which actor.
///
/// Each actor lets in its guests as they came: the first of them is at its door, which means among the
/// jobs that can run, and the others wait behind it.
struct ActorDoors {
  private var taken: Set<ActorPointer> = []
  private var waiting: [ActorPointer: Fifo<Job>] = [:]

  /// Brings a job to an actor; false if others are before it.
  mutating func bring(_ job: Job, to actor: ActorPointer) -> Bool {
    if taken.insert(actor).inserted { return true }
    waiting[actor, default: Fifo()].append(job)
    return false
  }

  /// Lets in the job at the door of an actor, and returns the next one, which is there now.
  mutating func letIn(to actor: ActorPointer) -> Job? {
    if !waiting.isEmpty {
      if let next = waiting[actor]?.popFirst() { return next }
      waiting[actor] = nil
    }
    taken.remove(actor)
    return nil
  }

  /// Takes all jobs that wait behind others.
  mutating func takeAll() -> [Job] {
    defer { self = ActorDoors() }
    return waiting.values.flatMap { line in
      var line = line
      return Array(sequence(state: ()) { _ in line.popFirst() })
    }
  }
}
