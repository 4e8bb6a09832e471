import Foundation

/// Runs a closure on a thread of its own and waits for its end.
func onAnotherThread(_ work: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      work()
      continuation.resume()
    }
  }
}

extension String {
  var firstLine: String { String(prefix { $0 != "\n" }) }
}
