import Sleepless

/// The jobs that can run now, and the rule that says which goes first.
struct ReadyJobs {
  private var jobs: ContiguousArray<Job> = []
  // Those before it have been taken; moving the rest up each time would cost more than the room.
  private var first = 0
  private var generator: SeededGenerator?

  /// First come, first served without a seed; with one, any of them, drawn at random.
  init(seed: UInt64?) { generator = seed.map(SeededGenerator.init) }

  var isEmpty: Bool { first == jobs.count }

  var tasks: some Sequence<TaskPointer> { jobs[first...].lazy.map(\.task) }

  mutating func append(_ job: Job) { jobs.append(job) }

  /// Takes the job that goes next; there must be one.
  mutating func takeNext() -> Job {
    let index = first + (generator?.next(below: jobs.count - first) ?? 0)
    let next = jobs[index]
    jobs[index] = jobs[first]
    dropFirst()
    return next
  }

  /// Takes the one at that place among those that can run; the others keep their order.
  mutating func take(at index: Int) -> Job {
    let place = first + index
    let job = jobs[place]
    for later in stride(from: place, to: first, by: -1) { jobs[later] = jobs[later - 1] }
    dropFirst()
    return job
  }

  private mutating func dropFirst() {
    first += 1
    if first >= 256, first * 2 >= jobs.count {
      jobs.removeSubrange(..<first)
      first = 0
    }
  }

  /// Takes all of them, in the order in which they came.
  mutating func takeAll() -> ContiguousArray<Job> {
    guard !isEmpty else { return [] }
    defer {
      jobs = []
      first = 0
    }
    return ContiguousArray(jobs[first...])
  }
}
