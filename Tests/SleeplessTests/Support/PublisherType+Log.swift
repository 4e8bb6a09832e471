import Sleepless
import TestSupport

/// The error that publishers fail with in these tests.
enum Oops: Error, Equatable {
  case no
  case never
}

extension PublisherType {
  /// Subscribes and logs the events under a name: `a1` for a value, `a.` for the end, `a!` for a
  /// failure. Then calls the closure that it was given.
  func sink(
    into log: Log<String>, as name: String,
    then work: @escaping @Sendable (Output?) -> Void = { _ in }
  ) -> SubscriptionToken {
    subscribe { completion in
      switch completion {
      case .finished: log.append("\(name).")
      case .failure: log.append("\(name)!")
      }
      work(nil)
    } receiveValue: { value in
      log.append("\(name)\(value)")
      work(value)
    }
  }
}
