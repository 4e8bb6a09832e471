import Dispatch

/// Finds places in the background, when nothing has been typed for 300 ms.
@MainActor
package final class PlaceSearch {
  package private(set) var places: String?
  private let find: @Sendable (String) -> String
  private var pending: DispatchWorkItem?
  private var latest = 0

  package init(find: @escaping @Sendable (String) -> String) { self.find = find }

  /// A cancelled item that has begun goes on, so its late answer may replace that to a later text.
  package func type(_ text: String) {
    search(for: text) { _ in true }
  }

  /// Only the answer to the latest text counts.
  package func typeLatest(_ text: String) {
    search(for: text) { [self] number in number == latest }
  }

  private func search(
    for text: String, isWanted: @escaping @MainActor @Sendable (_ number: Int) -> Bool
  ) {
    pending?.cancel()
    latest += 1
    // Sendable, so that it does not belong to the main actor.
    let item = DispatchWorkItem { @Sendable [find, latest] in
      let places = find(text)
      DispatchQueue.main.async {
        if isWanted(latest) { self.places = places }
      }
    }
    pending = item
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300), execute: item)
  }
}
