import Sleepless
import VirtualTime

/// The jobs that can run now, and the rule that chooses the next one.
struct ReadyJobs: ~Copyable {
  private var jobs = JobQueue()
  private var generator: SeededGenerator?

  /// Without a seed the jobs run in the order in which they came; with a seed the next is drawn at random.
  init(seed: UInt64?) { generator = seed.map(SeededGenerator.init) }

  @_transparent
  var isEmpty: Bool { jobs.count == 0 }

  /// The job that came last.
  var last: Job? { isEmpty ? nil : jobs[jobs.count - 1] }

  var tasks: [TaskPointer] { (0..<jobs.count).map { jobs[$0].task } }

  @_transparent
  mutating func append(_ job: Job) { jobs.append(job) }

  /// Takes the job that runs next; there must be one.
  @_transparent
  mutating func takeNext() -> Job {
    guard generator != nil else { return jobs.takeFirst() }
    let index = generator!.next(below: jobs.count)
    let first = jobs.takeFirst()
    if index == 0 { return first }
    let next = jobs[index &- 1]
    jobs[index &- 1] = first
    return next
  }

  /// Takes the job at an index; the others keep their order.
  mutating func take(at index: Int) -> Job {
    let job = jobs[index]
    for later in stride(from: index, to: 0, by: -1) { jobs[later] = jobs[later - 1] }
    _ = jobs.takeFirst()
    return job
  }

  /// Takes the job that came last; there must be one.
  mutating func takeLast() -> Job { take(at: jobs.count - 1) }

  /// Takes all jobs, in the order in which they came.
  mutating func takeAll() -> [Job] { jobs.takeAll() }
}
