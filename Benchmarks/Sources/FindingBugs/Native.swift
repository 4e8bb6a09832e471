import Foundation

/// Counts the failures of a bug in plain runs, in real time, on busy cores. The runs go one after
/// another, or a hundred at a time if they sleep. It stops after ten failures.
///
/// A run that lasts longer than three seconds hangs: no other run takes that long.
func nativeFailures(of bug: Bug, runs: Int, beside threads: BusyThreads) async -> String {
  threads.start()
  defer { threads.stop() }
  let start = ContinuousClock.now
  var (failures, count) = (await fails(bug.buggy) ? 1 : 0, 1)
  let sleeps = failures == 0 && ContinuousClock.now - start > .milliseconds(80)
  while count < runs, failures < 10 {
    let width = sleeps ? min(100, runs - count) : 1
    let failing = await withTaskGroup { group in
      for _ in 0..<width { group.addTask { await fails(bug.buggy) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    (failures, count) = (failures + failing, count + width)
  }
  return failures == 0 ? "none of \(count)" : "\(failures) of \(count)"
}

/// Whether a body throws or hangs. A hanging body is left running.
private func fails(_ body: @escaping @Sendable () async throws -> Void) async -> Bool {
  await withCheckedContinuation { continuation in
    let result = OneShotContinuation(continuation)
    Task {
      do {
        try await body()
        result.resume(returning: false)
      } catch {
        result.resume(returning: true)
      }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 3) { result.resume(returning: true) }
  }
}

private final class OneShotContinuation: @unchecked Sendable {
  // Unchecked because a lock protects the state.
  private let lock = NSLock()
  private var continuation: CheckedContinuation<Bool, Never>?

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

  func resume(returning fails: Bool) {
    let continuation = lock.withLock {
      defer { self.continuation = nil }
      return self.continuation
    }
    continuation?.resume(returning: fails)
  }
}

/// Threads that keep the cores busy for a while: two per core.
final class BusyThreads: @unchecked Sendable {
  // Unchecked because a lock protects the state.
  private let lock = NSLock()
  private var isRunning = false

  func start() {
    lock.withLock { isRunning = true }
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { [self] in
        var sum = 0
        while lock.withLock({ isRunning }) { for number in 0..<10_000 { sum &+= number } }
        withExtendedLifetime(sum) {}
      }
    }
  }

  func stop() { lock.withLock { isRunning = false } }
}
