import Sleepless

/// Runs a body again and again, and cancels it at a later suspension each time.
///
/// Unchecked because it is called by one thread at a time.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class CancellationSweep: @unchecked Sendable {
  /// The suspension at which a body was cancelled.
  package struct Place: Sendable {
    /// Counted from 1.
    package let suspension: Int
    /// The body as it was suspended there.
    package let body: Simulation.TaskReport?
  }

  private let options: Simulation.Options
  private let limit: Int
  private let controller = ScheduleController(crashRecord: nil)
  /// The suspension to cancel at in the current run; 0 for none.
  private var target: Int
  private let isSingle: Bool
  private let count = Locked(0)
  private let place = Locked<Place?>(nil)

  /// How often the body suspends if it is not cancelled; zero if no such run has ended.
  package private(set) var suspensions = 0
  /// In how many runs it was cancelled.
  package private(set) var cancelled = 0
  /// The place of the cancellation in the run that failed; an inner nil if that run was not cancelled.
  package private(set) var failure: Place??

  /// Whether the body has been cancelled in the current run.
  package var isCancelling: Bool { place.withLock { $0 != nil } }

  /// Cancels at each suspension up to a limit, or only at one.
  package init(_ options: Simulation.Options, limit: Int, at suspension: Int? = nil) {
    self.options = options
    self.limit = limit
    target = suspension ?? 0
    isSingle = suspension != nil
  }

  package func run(
    _ body: @escaping () async throws -> Void,
    judge: @escaping @Sendable (Simulation.Outcome<Void>) -> Bool
  ) async {
    await Simulation.runSeries(isolation: nil, body) { [self] previous in
      guard let previous else { return begin() }
      let hasPassed = judge(previous)
      controller.end()
      let place = place.withLock { $0 }
      if place != nil { cancelled += 1 }
      guard hasPassed else {
        failure = .some(place)
        return nil
      }
      if place == nil { suspensions = count.withLock { $0 } }
      target += 1
      // A body that ends before it is cancelled has been cancelled at all its suspensions.
      guard !isSingle, target <= limit, target == 1 || place != nil else { return nil }
      return target > suspensions ? nil : begin()
    }
  }

  /// The options for running the failed run once more.
  package func finalOptions() -> Simulation.Options { begin() }

  private func begin() -> Simulation.Options {
    controller.begin(FirstCome(), seed: 0, statistics: ExplorationStatistics(), recordsTrace: false)
    count.withLock { $0 = 0 }
    place.withLock { $0 = nil }
    var options = options
    options.controller = controller
    options.afterStep = { [self, target] simulation, note in
      guard note.task == 0, let body = simulation.suspendedBody else { return }
      let suspension = count.withLock { count in
        count += 1
        return count
      }
      guard suspension == target else { return }
      place.withLock { $0 = Place(suspension: suspension, body: body) }
      simulation.cancelBody()
    }
    return options
  }
}
