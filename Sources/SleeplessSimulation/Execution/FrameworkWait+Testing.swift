import Dispatch

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Waits in the calling simulation as the test framework does, and stops the run loop before it runs.
  package static func waitStoppedBefore(for timeout: Duration) async {
    await withUnsafeContinuation { continuation in
      let isStarted = WaitThread.start {
        let queue = DispatchQueue(label: "wait")
        let wait = FrameworkWait(timer: DispatchWorkItem {}, on: queue, after: timeout)
        // No run loop has this address.
        _ = FrameworkWait.decide(on: 1)
        wait?.run(on: 1)
        continuation.resume()
      }
      if !isStarted { continuation.resume() }
    }
  }
}
