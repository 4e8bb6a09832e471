import Dispatch
import Sleepless

/// Searches for a schedule that fails in the same way with fewer switches.
///
/// First it leaves out parts of the switches, halves, quarters and so on: A. Zeller, R. Hildebrandt,
/// "Simplifying and isolating failure-inducing input", TSE 2002. Without one switch the others mean something
/// else, so this may stop too early. Then it tries all schedules with no switch, with one, with two …, until
/// its time is over.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct Shrinking {
  struct Candidate {
    var deviations: [Deviation]
    var timingSeed: UInt32?
  }

  private enum Stage {
    /// Tries without a timing seed.
    case timingSeed
    /// Tries without this part of the switches.
    case without(part: Int, of: Int)
    /// Tries all schedules with at most `limit` switches.
    case searching(Exhaustive, limit: Int)
    case done
  }

  let found: Explorer.Found
  private(set) var best: Candidate
  private var stage: Stage
  private var runs = 0
  private let start = DispatchTime.now()

  static let runLimit = 3_000
  /// At least this many schedules are tried, however long that takes, so that a small test shrinks equally
  /// on a busy machine.
  static let leastRuns = 300
  static let timeLimit: UInt64 = 3_000_000_000

  init(_ found: Explorer.Found) {
    self.found = found
    best = Candidate(deviations: found.deviations, timingSeed: found.timingSeed)
    stage = found.timingSeed == nil ? .without(part: 0, of: 1) : .timingSeed
  }

  /// The strategy and the seed to try next; nil if nothing is left to try.
  mutating func next() -> (strategy: any Strategy, timingSeed: UInt32?)? {
    runs += 1
    let spent = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
    guard runs <= Self.runLimit, spent < Self.timeLimit || runs <= Self.leastRuns else {
      return nil
    }
    while true {
      switch stage {
      case .timingSeed:
        return (Replaying(best.deviations, isStrict: false), nil)
      case .without(let part, let parts):
        if best.deviations.isEmpty { stage = .done; continue }
        if part >= parts {
          let isFinest = parts >= best.deviations.count
          stage =
            isFinest
            ? .searching(Exhaustive(switchLimit: 0), limit: 0)
            : .without(part: 0, of: min(parts * 2, best.deviations.count))
          continue
        }
        return (Replaying(kept(without: part, of: parts), isStrict: false), best.timingSeed)
      case .searching(let search, let limit):
        if best.deviations.count <= limit { stage = .done; continue }
        if search.hasMore { return (search, best.timingSeed) }
        stage = .searching(Exhaustive(switchLimit: limit + 1), limit: limit + 1)
      case .done: return nil
      }
    }
  }

  private func kept(without part: Int, of parts: Int) -> [Deviation] {
    let count = best.deviations.count
    let (low, high) = (count * part / parts, count * (part + 1) / parts)
    return Array(best.deviations[..<low] + best.deviations[high...])
  }

  /// Notes that the latest try failed in the same way, with these switches.
  mutating func stillFails(_ deviations: [Deviation], timingSeed: UInt32?) {
    switch stage {
    case .timingSeed:
      best = Candidate(deviations: deviations, timingSeed: nil)
      stage = .without(part: 0, of: 1)
    case .without(let part, let parts):
      // Without some switches the schedule may have got others.
      guard deviations.count < best.deviations.count else { return passes() }
      best.deviations = deviations
      stage = .without(part: min(part, max(parts - 1, 0)), of: max(min(parts, deviations.count), 1))
    case .searching(_, let limit):
      if deviations.count < best.deviations.count { best.deviations = deviations }
      if best.deviations.count <= limit { stage = .done }
    case .done: break
    }
  }

  /// Notes that the latest try passed, or failed in another way.
  mutating func passes() {
    switch stage {
    case .timingSeed: stage = .without(part: 0, of: 1)
    case .without(let part, let parts): stage = .without(part: part + 1, of: parts)
    case .searching, .done: break
    }
  }
}
