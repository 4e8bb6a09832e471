import Observation
import Sleepless

package struct Fact: Equatable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
}

package enum FactError: Error, Equatable { case offline }

package protocol FactService: Sendable {
  func fetchFact() async throws -> Fact
}

/// The state of a screen.
package enum ViewState<Value: Equatable & Sendable>: Equatable, Sendable {
  case initial
  case loading
  case loaded(Value)
  case error(FactError)
}

extension FactService {
  /// The state after the service's answer; nil if the caller has cancelled.
  fileprivate func answer() async -> ViewState<Fact>? {
    do {
      return .loaded(try await fetchFact())
    } catch let error as FactError {
      return .error(error)
    } catch {
      return nil
    }
  }
}

/// The view model with a Sleepless publisher.
@MainActor
package final class FactViewModel {
  @PublishedState package private(set) var state: ViewState<Fact> = .initial

  private let service: any FactService

  package init(service: any FactService) { self.service = service }

  package func fetch() async {
    state = .loading
    if let answer = await service.answer() { state = answer }
  }
}

/// The view model as `@Observable`.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
package final class ObservableFactViewModel {
  package private(set) var state: ViewState<Fact> = .initial

  private let service: any FactService

  package init(service: any FactService) { self.service = service }

  package func fetch() async {
    state = .loading
    if let answer = await service.answer() { state = answer }
  }
}
