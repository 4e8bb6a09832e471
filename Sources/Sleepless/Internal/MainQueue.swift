import Dispatch
import Foundation

/// The main queue, which on Linux need not run on the main thread.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller is on the main thread, or is work of the main queue or of a queue that targets it.
  package static var isCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil
  }
}
