import Combine
import Sleepless
import SleeplessTesting

/// What pipelines deliver in a simulation: each event with its virtual time.
final class PipelineLog: Sendable {
  /// Unchecked: OpenCombine's tokens take a lock, but are not marked as Sendable.
  private struct Token: @unchecked Sendable {
    let subscription: AnyCancellable
  }

  private let unit: Duration
  private let events = Locked<[String]>([])
  private let tokens = Locked<[Token]>([])

  /// - Parameter unit: Times are rounded to it.
  init(roundingTo unit: Duration = .nanoseconds(1)) { self.unit = unit }

  var lines: [String] { events.withLock { $0 } }

  func note(_ event: some Any) {
    guard let now = Simulation.current?.now else {
      return events.withLock { $0.append("\(event) outside the simulation") }
    }
    let time = unit * Int((now / unit).rounded())
    events.withLock { $0.append("\(event) at \(time)") }
  }

  /// Subscribes, and notes each value and the end. The subscription lasts as long as the log.
  func follow(_ publisher: some Publisher, as name: String = "") {
    let name = name.isEmpty ? "" : "\(name) "
    let subscription = publisher.sink { [weak self] completion in
      switch completion {
      case .finished: self?.note("\(name)end")
      case .failure(let error): self?.note("\(name)\(error)")
      }
    } receiveValue: { [weak self] value in
      self?.note("\(name)\(value)")
    }
    let token = Token(subscription: subscription)
    tokens.withLock { $0.append(token) }
  }

  /// Cancels all subscriptions.
  func cancel() {
    let cancelled = tokens.withLock { tokens in
      defer { tokens = [] }
      return tokens
    }
    for token in cancelled { token.subscription.cancel() }
  }
}
