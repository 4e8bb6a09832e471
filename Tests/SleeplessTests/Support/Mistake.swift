import Dispatch
import Foundation
import Sleepless

/// Calls that must stop the program. They are in this file because `#line` inside
/// `#expect(processExits…)` is not the source line.
enum Mistake: String, CaseIterable, Codable {
  case dispatchQueue, dispatchQueueByProtocol, operationQueue, runLoop, immediate, timer, endless,
    prefix, dropFirst, collect

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
    case .dropFirst: _ = EventSubject<Int, Never>().dropFirst(-1)
    case .collect: _ = EventSubject<Int, Never>().collect(0)
    }
  }

  private static let held: any SchedulerType = DispatchQueue.global()

  /// The program's last line.
  var text: String {
    let line = Self.firstLine + UInt(Self.allCases.firstIndex(of: self)!)
    return "/Mistake.swift:\(line): Fatal error: \(message)\n"
  }

  private var message: String {
    let interval = self == .dispatchQueueByProtocol || self == .operationQueue ? "-1.0" : "0.0"
    let positive = "A repeating interval must be positive (was \(interval) seconds)."
    return switch self {
    case .prefix: "The length of a prefix must be at least 0 (was -1)."
    case .dropFirst: "The number of values to drop must be at least 0 (was -1)."
    case .collect: "The number of values to collect must be positive (was 0)."
    case .timer: "\(positive) To wait once use sleep(for:)."
    case .endless:
      """
      One call on an immediate scheduler led to a million pieces of work, and more follow. This \
      scheduler never waits, so work that schedules itself again never ends. Use a test \
      scheduler, or a repeating interval, which runs once here.
      """
    default: "\(positive) To run work once use schedule(after:)."
    }
  }
}

/// The line of the call in `repeatAtOnce`.
let repeatingLine = #line + 2

func repeatAtOnce() { ImmediateScheduler().schedule(every: .seconds(1)) {} }
