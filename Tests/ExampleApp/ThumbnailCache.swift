import Dispatch

/// A cache with a concurrent queue: readers use it at the same time, a writer alone.
package final class ThumbnailCache: @unchecked Sendable {
  // Unchecked because `thumbnails` is used on the queue only.

  private let queue = DispatchQueue(label: "thumbnails", attributes: .concurrent)
  private var thumbnails: [String: String] = [:]
  private let render: @Sendable (String) -> String

  package init(render: @escaping @Sendable (String) -> String) { self.render = render }

  /// Two callers that come at once may both render.
  package func thumbnail(of name: String) -> String {
    if let known = queue.sync(execute: { thumbnails[name] }) { return known }
    let thumbnail = render(name)
    queue.async(flags: .barrier) { self.thumbnails[name] = thumbnail }
    return thumbnail
  }

  /// The second of two callers waits for the first.
  package func thumbnailRenderedOnce(of name: String) -> String {
    if let known = queue.sync(execute: { thumbnails[name] }) { return known }
    return queue.sync(flags: .barrier) {
      if let known = thumbnails[name] { return known }
      let thumbnail = render(name)
      thumbnails[name] = thumbnail
      return thumbnail
    }
  }
}
