import Benchmark

/// Measures our work beside the same work of a peer.
///
/// Both take turns in one process and each goes first every other time, so other load on the
/// machine affects both. The ratio is taken within each turn. The figures are per operation;
/// neither side pays for memory that the other has freed. The benchmark stops if a side does not
/// run its work `runs` times, because a fast figure for missing work is worthless.
///
/// - Parameters:
///   - name: What `compare` prints, so without a comma or a tab.
///   - operations: By how many the time of one turn is divided.
///   - runs: How often the scheduled work must run in one turn; nil: as often as `operations`.
///   - limit: When to stop taking turns; the one under way is finished.
///   - ours: Does one turn and returns how long its measured part took: see `processorTime`.
///   - peer: The same for the peer; nil if there is none.
public func measure(
  _ name: String, operations: Int, runs: Int? = nil, atMost limit: Duration = .seconds(2),
  ours: @escaping @Sendable (Counter) -> Duration,
  peer: (@Sendable (Counter) -> Duration)? = nil
) {
  let runs = runs ?? operations

  @Sendable func turn(_ side: String, _ work: (Counter) -> Duration) -> Duration {
    tidyHeap()
    let counter = Counter()
    let duration = work(counter)
    precondition(counter.value == runs, "\(name), \(side): ran \(counter.value) of \(runs)")
    return duration
  }

  let configuration = Benchmark.Configuration(
    metrics: peer == nil ? [.ours] : [.ours, .peer, .ratio],
    warmupIterations: 1, maxDuration: limit, maxIterations: 1_000)
  Benchmark(name, configuration: configuration) { benchmark in
    guard let peer else {
      benchmark.measurement(.ours, turn("ours", ours).picoseconds(per: operations))
      return
    }
    let ourTime: Duration
    let peerTime: Duration
    if benchmark.currentIteration.isMultiple(of: 2) {
      ourTime = turn("ours", ours)
      peerTime = turn("peer", peer)
    } else {
      peerTime = turn("peer", peer)
      ourTime = turn("ours", ours)
    }
    benchmark.measurement(.ours, ourTime.picoseconds(per: operations))
    benchmark.measurement(.peer, peerTime.picoseconds(per: operations))
    benchmark.measurement(.ratio, Int(ourTime / peerTime * 1_000_000))
  }
}

// `compare` uses these names. The values are integers because the histograms accept nothing else.
extension BenchmarkMetric {
  fileprivate static let ours = custom("ours (ps)", useScalingFactor: false)
  fileprivate static let peer = custom("peer (ps)", useScalingFactor: false)
  fileprivate static let ratio = custom("ours / peer (ppm)", useScalingFactor: false)
}

extension Duration {
  fileprivate func picoseconds(per operations: Int) -> Int {
    Int(self / .nanoseconds(operations) * 1_000)
  }
}
