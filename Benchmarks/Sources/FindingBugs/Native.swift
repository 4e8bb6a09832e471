import Foundation

/// How many of so many plain runs of a bug fail, in real time, on busy cores, fifty runs at a time.
///
/// One that has not ended after three seconds hangs, which none takes that does not.
func nativeFailures(of bug: Bug, runs: Int, beside burners: Burners) async -> Int {
  burners.begin()
  defer { burners.end() }
  let failures = Counter()
  for start in stride(from: 0, to: runs, by: 50) {
    await withTaskGroup { group in
      for _ in start..<min(start + 50, runs) {
        group.addTask { if await fails(bug.buggy) { failures.add() } }
      }
    }
  }
  return failures.count
}

/// Whether a body throws or hangs. What hangs is left behind.
private func fails(_ body: @escaping @Sendable () async throws -> Void) async -> Bool {
  await withCheckedContinuation { continuation in
    let answer = Answer(continuation)
    Task {
      do {
        try await body()
        answer.give(false)
      } catch {
        answer.give(true)
      }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 3) { answer.give(true) }
  }
}

private final class Answer: @unchecked Sendable {
  // Unchecked because a lock guards what changes.
  private let lock = NSLock()
  private var continuation: CheckedContinuation<Bool, Never>?

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

  func give(_ fails: Bool) {
    let continuation = lock.withLock {
      defer { self.continuation = nil }
      return self.continuation
    }
    continuation?.resume(returning: fails)
  }
}

private final class Counter: @unchecked Sendable {
  // Unchecked because a lock guards what changes.
  private let lock = NSLock()
  private var value = 0

  var count: Int { lock.withLock { value } }

  func add() { lock.withLock { value += 1 } }
}

/// Threads that keep the cores busy for a while, twice as many as there are cores.
final class Burners: @unchecked Sendable {
  // Unchecked because a lock guards what changes.
  private let lock = NSLock()
  private var isBurning = false

  func begin() {
    lock.withLock { isBurning = true }
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      Thread.detachNewThread { [self] in
        var sum = 0
        while lock.withLock({ isBurning }) { for number in 0..<10_000 { sum &+= number } }
        withExtendedLifetime(sum) {}
      }
    }
  }

  func end() { lock.withLock { isBurning = false } }
}
