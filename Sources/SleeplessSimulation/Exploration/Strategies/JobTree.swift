/// A value for each job that can run, such as its weight or its priority, and the sum or the maximum of all.
/// A job is found by its number (`Runnable.number`).
///
/// A complete binary tree whose nodes hold the sum or the maximum of their children; each operation
/// takes as many steps as the tree has levels. A strategy that looked at all jobs at each choice
/// took a third of a schedule of 1,600 tasks. The nodes are in plain memory because of debug
/// builds, where an array asks the runtime for its type at each access.
package struct JobTree: ~Copyable {
  package enum Operation {
    case sum
    case maximum
  }

  private let operation: Operation
  // The root is at index 1, and the children of i are at 2i and 2i + 1. The job with the number k is at
  // `capacity + k`.
  private var nodes: UnsafeMutablePointer<UInt64>
  private var capacity = 64

  package init(_ operation: Operation) {
    self.operation = operation
    nodes = Self.makeNodes(capacity)
  }

  deinit { nodes.deallocate() }

  private static func makeNodes(_ capacity: Int) -> UnsafeMutablePointer<UInt64> {
    let nodes = UnsafeMutablePointer<UInt64>.allocate(capacity: 2 * capacity)
    nodes.initialize(repeating: 0, count: 2 * capacity)
    return nodes
  }

  /// The sum or the maximum of all jobs.
  @_transparent
  package var total: UInt64 { nodes[1] }

  package mutating func removeAll() { nodes.update(repeating: 0, count: 2 * capacity) }

  /// Sets the value of a job; zero if the job cannot run.
  package mutating func set(_ job: Int32, _ value: UInt64) {
    while Int(job) >= capacity { grow() }
    var node = capacity &+ Int(job)
    nodes[node] = value
    while node > 1 {
      node = node &>> 1
      let (left, right) = (nodes[2 &* node], nodes[2 &* node &+ 1])
      switch operation {
      case .sum: nodes[node] = left &+ right
      case .maximum: nodes[node] = left < right ? right : left
      }
    }
  }

  /// The job with the greatest value; the first of several.
  package var maximum: Int32 {
    var node = 1
    while node < capacity {
      node = 2 &* node
      if nodes[node] < nodes[node &+ 1] { node &+= 1 }
    }
    return Int32(node &- capacity)
  }

  /// The first job for which the sum of all jobs up to it is more than `sum`. `sum` must be less than the
  /// total.
  package func first(above sum: UInt64) -> Int32 {
    var (node, rest) = (1, sum)
    while node < capacity {
      node = 2 &* node
      if rest >= nodes[node] {
        rest &-= nodes[node]
        node &+= 1
      }
    }
    return Int32(node &- capacity)
  }

  private mutating func grow() {
    var larger = Self.makeNodes(2 * capacity)
    swap(&larger, &nodes)
    let old = capacity
    capacity *= 2
    for job in 0..<old where larger[old + job] != 0 { set(Int32(job), larger[old + job]) }
    larger.deallocate()
  }
}
