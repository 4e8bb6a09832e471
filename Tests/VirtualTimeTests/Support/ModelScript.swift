import Sleepless
import VirtualTime

/// A timeline, or a model of one, that a script of the model test runs on.
protocol EpisodeStage: AnyObject {
  var now: Int { get }
  /// The ids of the pending work, in order.
  var pending: [Int] { get }
  func schedule(_ id: Int, after delay: Int, every interval: Int?, in script: ModelScript)
  func cancel(_ id: Int)
  func drive(by stride: Int, in script: ModelScript)
}

/// A short random script of operations, with the same log on every timeline that behaves the same.
///
/// Unchecked because one thread runs it.
final class ModelScript: @unchecked Sendable {
  /// The events, in order: an id and the instant at which its work ran, or the time and the pending work
  /// after a drive.
  private(set) var log: [Int] = []
  /// How many calls were made, and how many pieces of work ran.
  private(set) var operations = 0

  private let stage: any EpisodeStage
  private var random: SeededGenerator
  private var latestID = 0
  private var depth = 0

  init(seed: UInt64, on stage: any EpisodeStage) {
    self.stage = stage
    random = SeededGenerator(seed: seed)
  }

  func play() {
    // Now and then many at once: enough that new elements are merged and tombstones removed.
    if number(below: 16) == 0 {
      for _ in 0..<90 { schedule() }
      for _ in 0..<number(below: 120) { cancel() }
    }
    for _ in 0..<24 {
      switch number(below: 8) {
      case 0..<4: schedule()
      case 4: cancel()
      default: drive()
      }
    }
    log.append(contentsOf: stage.pending)
    for id in 0...latestID { stage.cancel(id) }
    drive()
  }

  /// Notes that the work with this id runs.
  func run(_ id: Int) {
    operations += 1
    log.append(id << 32 | stage.now)
    switch number(below: 16) {
    case 0..<3: schedule()
    case 3..<5: cancel()
    case 5:
      operations += 1
      stage.cancel(id)
    case 6 where depth < 4: drive()
    default: break
    }
  }

  private func schedule() {
    operations += 1
    latestID += 1
    // Few instants, so that many coincide, and some that have passed.
    let delay = number(below: 12) - 2
    let interval = number(below: 6) == 0 ? 1 + number(below: 8) : nil
    stage.schedule(latestID, after: delay, every: interval, in: self)
  }

  private func cancel() {
    operations += 1
    // Also work that ran or was cancelled long ago.
    stage.cancel(number(below: latestID + 1))
  }

  private func drive() {
    operations += 1
    depth += 1
    stage.drive(by: number(below: 10) - 1, in: self)
    depth -= 1
    log.append(-1 - stage.now)
  }

  private func number(below limit: Int) -> Int { Int(random.next() >> 33) % limit }
}

final class ModelStage: EpisodeStage {
  private var model = ModelTimeline()

  var now: Int { model.now }
  var pending: [Int] { model.pending.map(\.id) }

  func schedule(_ id: Int, after delay: Int, every interval: Int?, in script: ModelScript) {
    model.schedule(id, after: delay, every: interval)
  }

  func cancel(_ id: Int) { model.cancel(id) }

  func drive(by stride: Int, in script: ModelScript) {
    let target = model.now + max(0, stride)
    while let id = model.next(upTo: target) { script.run(id) }
  }
}

final class TimelineStage: EpisodeStage {
  private let timeline = Timeline()
  private lazy var queue = TimelineQueue(nil, on: timeline)
  private var tokens: [Int: WorkToken] = [:]

  var now: Int { Int(timeline.now.duration.clampedNanoseconds) }
  var pending: [Int] { timeline.pending.map { $0.place.line } }

  func schedule(_ id: Int, after delay: Int, every interval: Int?, in script: ModelScript) {
    let site = CallSite(fileID: "", filePath: "", line: UInt(id), column: 0)
    tokens[id] = queue.schedule(
      .function { script.run(id) }, after: .nanoseconds(delay),
      every: interval.map { .nanoseconds($0) }, at: site)
  }

  func cancel(_ id: Int) { tokens[id]?.cancel() }

  func drive(by stride: Int, in script: ModelScript) {
    _ = timeline.drive(by: .nanoseconds(stride))
  }
}
