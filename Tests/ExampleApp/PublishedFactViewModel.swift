#if canImport(Combine)
  import Combine
#endif
import Sleepless

/// The view model with Combine's names. On systems without Combine they are Sleepless's types.
@MainActor
package final class PublishedFactViewModel: ObservableObject {
  @Published package private(set) var state: ViewState<Fact> = .initial

  private let service: any FactService

  package init(service: any FactService) { self.service = service }

  package func fetch() async {
    state = .loading
    do {
      state = .loaded(try await service.fetchFact())
    } catch let error as FactError {
      state = .error(error)
    } catch {}
  }
}
