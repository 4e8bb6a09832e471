/// A queue of jobs, as a ring.
///
/// With an array a job takes almost half as long again (`Benchmarks/simulation`, debug), because an array is
/// generic. The place of a job that was taken is cleared, as a search of memory for references to an object
/// would find the job there.
struct JobQueue: ~Copyable {
  // The job at `index` is `head + index` places on; after the last place comes the first.
  private var jobs: UnsafeMutablePointer<Job?>?
  private var mask = -1
  private var head = 0
  private(set) var count = 0

  deinit { jobs?.deallocate() }

  /// The job at that distance from the first; there must be one.
  subscript(index: Int) -> Job {
    get { jobs![(head &+ index) & mask]! }
    set { jobs![(head &+ index) & mask] = newValue }
  }

  @_transparent
  mutating func append(_ job: Job) {
    if count > mask { grow() }
    jobs![(head &+ count) & mask] = job
    count &+= 1
  }

  /// Takes the first job; there must be one.
  @_transparent
  mutating func takeFirst() -> Job {
    let job = jobs![head]!
    jobs![head] = nil
    head = (head &+ 1) & mask
    count &-= 1
    return job
  }

  mutating func takeAll() -> [Job] {
    var all: [Job] = []
    while count > 0 { all.append(takeFirst()) }
    return all
  }

  private mutating func grow() {
    let places = max(16, 2 * (mask + 1))
    let larger = UnsafeMutablePointer<Job?>.allocate(capacity: places)
    larger.initialize(repeating: nil, count: places)
    for index in 0..<count { larger[index] = self[index] }
    jobs?.deallocate()
    jobs = larger
    mask = places - 1
    head = 0
  }
}
