import Sleepless
import VirtualTime

/// The jobs that can run now, and the rule that chooses the next one.
struct ReadyJobs: ~Copyable {
  private var jobs = JobQueue()
  private var list = JobList()
  private var generator: SeededGenerator?
  private let areChosen: Bool

  /// Without a seed the jobs run in the order in which they came; with a seed the next is drawn at random.
  /// `areChosen` says that `take(at:)` takes all jobs instead.
  init(seed: UInt64?, areChosen: Bool) {
    generator = seed.map(SeededGenerator.init)
    self.areChosen = areChosen
  }

  @_transparent
  var isEmpty: Bool { jobs.count == 0 && list.count == 0 }

  /// How many jobs `take(at:)` takes.
  var count: Int { list.count }

  /// The job that came last of those; nil if there is none.
  var last: Job? { list.count == 0 ? nil : list[list.count - 1] }

  /// A job that `take(at:)` takes.
  subscript(index: Int) -> Job { list[index] }

  var tasks: [TaskPointer] {
    areChosen
      ? (0..<list.count).map { list[$0].task } : (0..<jobs.count).map { jobs[$0].task }
  }

  @_transparent
  mutating func append(_ job: Job) {
    if areChosen { list.append(job) } else { jobs.append(job) }
  }

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
  mutating func take(at index: Int) -> Job { list.take(at: index) }

  /// Takes all jobs, in the order in which they came.
  mutating func takeAll() -> [Job] {
    var all = jobs.takeAll()
    while list.count > 0 { all.append(list.take(at: 0)) }
    return all
  }
}

/// A list of jobs, from which any one can be taken.
///
/// The later jobs move up at once, as bytes. Moving one job after the other took two thirds of a
/// schedule of 1,600 tasks. As in `JobQueue`, a place without a job is cleared.
private struct JobList: ~Copyable {
  private var jobs: UnsafeMutablePointer<Job?>?
  private var capacity = 0
  private(set) var count = 0

  deinit { jobs?.deallocate() }

  subscript(index: Int) -> Job { jobs![index]! }

  mutating func append(_ job: Job) {
    if count == capacity { grow() }
    jobs![count] = job
    count &+= 1
  }

  mutating func take(at index: Int) -> Job {
    let place = jobs! + index
    let job = place.pointee!
    count &-= 1
    if index < count { place.update(from: place + 1, count: count &- index) }
    jobs![count] = nil
    return job
  }

  private mutating func grow() {
    capacity = max(16, 2 * capacity)
    let larger = UnsafeMutablePointer<Job?>.allocate(capacity: capacity)
    larger.initialize(repeating: nil, count: capacity)
    if let jobs { larger.update(from: jobs, count: count) }
    jobs?.deallocate()
    jobs = larger
  }
}
