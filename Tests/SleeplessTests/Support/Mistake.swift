import Dispatch
import Foundation
import Sleepless

/// Calls that must stop the program. They stand here, because `#line` within `#expect(processExits…)`
/// is not the line on which it is written.
enum Mistake: String, CaseIterable, Codable {
  case dispatchQueue, dispatchQueueByProtocol, operationQueue, runLoop, immediate, timer, endless,
    prefix

  private static let firstLine: UInt = #line + 4

  func make() {
    switch self {
    case .dispatchQueue: DispatchQueue.global().schedule(every: .zero) {}
    case .dispatchQueueByProtocol: Self.held.schedule(after: .seconds(1), every: .seconds(-1)) {}
    case .operationQueue: OperationQueue().schedule(every: .seconds(-1)) {}
    case .runLoop: RunLoop.main.scheduler.schedule(every: .zero) {}
    case .immediate: ImmediateScheduler().schedule(every: .zero) {}
    case .timer: _ = ContinuousClock().timer(every: .zero)
    case .endless: ImmediateScheduler().async { make() }
    case .prefix: _ = EventSubject<Int, Never>().prefix(-1)
    }
  }

  private static let held: any SchedulerType = DispatchQueue.global()

  /// What the program says when it stops.
  var text: String {
    let line = Self.firstLine + UInt(Self.allCases.firstIndex(of: self)!)
    return "/Mistake.swift:\(line): Fatal error: \(message)\n"
  }

  private var message: String {
    let interval = self == .dispatchQueueByProtocol || self == .operationQueue ? "-1.0" : "0.0"
    let positive = "A repeating interval must be positive (was \(interval) seconds)."
    return switch self {
    case .prefix: "prefix must be given a length of at least 0 (was -1)."
    case .timer: "\(positive) To wait once use sleep(for:)."
    case .endless:
      """
      A million pieces of work followed from one call on an immediate scheduler, and more keep \
      coming. Work that schedules itself again never ends where nothing waits: use a test \
      scheduler, or a repeating interval, which runs once here.
      """
    default: "\(positive) To run work once use schedule(after:)."
    }
  }
}
