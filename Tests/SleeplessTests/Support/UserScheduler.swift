import Sleepless
import TestSupport

/// A user's own queue, which implements only the requirement.
final class UserQueue: DispatchQueueType {
  private let work = Log<@Sendable () -> Void>()

  func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    self.work.append { work() }
  }

  func run() { for work in work.values { work() } }
}

/// A user's own scheduler. It keeps its work until a test calls `run`.
final class UserScheduler: SchedulerType {
  struct Call: Sendable {
    var delay: Duration?
    var interval: Duration?
    var tolerance = Duration.zero
    var label: String?
    var site: CallSite?
    var work: @Sendable () -> Void

    /// The delay and all other arguments that are not the default, for comparisons.
    var text: String {
      guard let delay else { return "async" }
      return "after \(delay)" + (interval.map { " every \($0)" } ?? "")
        + (tolerance == .zero ? "" : " tolerance \(tolerance)") + (label.map { " \($0)" } ?? "")
    }
  }

  final class Token: CancellableType {
    func cancel() {}
  }

  private let calls = Log<Call>()

  var text: String { calls.values.map(\.text).joined(separator: ", ") }
  var delays: [Duration?] { calls.values.map(\.delay) }
  var sites: [CallSite?] { calls.values.map(\.site) }

  func run() { for call in calls.values { call.work() } }

  /// Runs all work, the latest first.
  func runBackwards() { for call in calls.values.reversed() { call.work() } }

  var now: Duration { .zero }

  func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    calls.append(Call { work() })
  }

  func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    calls.append(
      Call(delay: delay, tolerance: tolerance, label: label, site: site, work: work))
    return Token()
  }

  func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    calls.append(
      Call(
        delay: delay, interval: interval, tolerance: tolerance, label: label, site: site,
        work: work))
    return Token()
  }

  func sync<Result>(execute work: () throws -> Result) rethrows -> Result { try work() }
}
