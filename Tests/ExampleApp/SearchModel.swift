import Dispatch
import Sleepless

@MainActor
package protocol SearchService {
  /// Calls back on a thread that the service chooses.
  func search(for query: String, completion: @escaping @Sendable ([String]) -> Void)
}

/// Searches when the user has stopped typing, and never shows results of an older query.
@MainActor
package final class SearchModel {
  package var query = "" {
    didSet { if query != oldValue { queryChanged() } }
  }
  package private(set) var results: [String] = []

  private let service: any SearchService
  private let scheduler: any SchedulerType
  private var debounce: (any CancellableType)?

  package init(service: any SearchService, scheduler: any SchedulerType = DispatchQueue.main) {
    self.service = service
    self.scheduler = scheduler
  }

  private func queryChanged() {
    debounce?.cancel()
    guard !query.isEmpty else { return results = [] }
    debounce = scheduler.schedule(after: .milliseconds(300), label: "debounce") { [weak self] in
      MainActor.assumeIsolated { self?.search() }
    }
  }

  private func search() {
    service.search(for: query) { [weak self, scheduler, query] results in
      scheduler.async {
        MainActor.assumeIsolated { self?.show(results, for: query) }
      }
    }
  }

  private func show(_ results: [String], for query: String) {
    guard query == self.query else { return }
    self.results = results
  }
}
