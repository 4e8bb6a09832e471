import Dispatch

/// A model of before Swift's concurrency: it asks in the background, and shows the answer on the main queue.
@MainActor
package final class ForecastModel {
  package private(set) var isLoading = false
  package private(set) var forecast: String?
  private let fetch: @Sendable (String) -> String
  private var latest = 0

  package init(fetch: @escaping @Sendable (String) -> String) { self.fetch = fetch }

  /// An answer that comes late replaces the answer to a later question.
  package func show(_ city: String) {
    isLoading = true
    DispatchQueue.global().async { [fetch] in
      let forecast = fetch(city)
      DispatchQueue.main.async { self.finish(with: forecast) }
    }
  }

  /// Only the answer to the latest question counts.
  package func showLatest(_ city: String) {
    isLoading = true
    latest += 1
    DispatchQueue.global().async { [fetch, latest] in
      let forecast = fetch(city)
      DispatchQueue.main.async {
        if latest == self.latest { self.finish(with: forecast) }
      }
    }
  }

  private func finish(with forecast: String) {
    self.forecast = forecast
    isLoading = false
  }
}
