import Dispatch
import SleeplessTesting
import TestSupport
import Testing

/// A test of FailureMessages.md whose code needs Dispatch's queues in virtual time.
@Suite(.needs(.queues), .failsAsShown) struct QueueMessages {
  @Test(.simulated) func `a queue waits for a later item of its own`() async {
    let cache = DispatchQueue(label: "com.example.cache")
    await withCheckedContinuation { done in
      cache.async {
        let item = DispatchWorkItem {}
        cache.async(execute: item)
        item.wait()
        done.resume()
      }
    }
  }
}
