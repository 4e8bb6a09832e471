import Dispatch

/// Says whether a server still answers, by a timer on a queue of its own.
package final class ConnectionMonitor: @unchecked Sendable {
  // Unchecked because its variables are used on its queue only.

  private let queue = DispatchQueue(label: "monitor")
  private let ping: @Sendable () -> Bool
  private var timer: (any DispatchSourceTimer)?
  private var failures = 0
  private var isShownOffline = false

  package init(ping: @escaping @Sendable () -> Bool) { self.ping = ping }

  package var isOffline: Bool { queue.sync { isShownOffline } }

  /// Asks every ten seconds. Three answers in a row must be missing before it says that the server is gone.
  ///
  /// Defect: a second call makes a second timer, and the first one, released but for its handler, still counts.
  package func start() {
    queue.async { [self] in
      let timer = newTimer()
      timer.setEventHandler { [self] in
        // The handler holds its timer.
        withExtendedLifetime(timer) { ask() }
      }
      self.timer = timer
      timer.activate()
    }
  }

  /// The same; a second call begins anew.
  package func restart() {
    queue.async { [self] in
      timer?.cancel()
      failures = 0
      let timer = newTimer()
      timer.setEventHandler { [self] in ask() }
      self.timer = timer
      timer.activate()
    }
  }

  package func stop() {
    queue.async { [self] in
      timer?.cancel()
      timer = nil
    }
  }

  private func newTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + 10, repeating: 10)
    return timer
  }

  private func ask() {
    failures = ping() ? 0 : failures + 1
    isShownOffline = failures >= 3
  }
}
