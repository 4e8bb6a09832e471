// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// Asks a server twice and waits for both answers.
private final class Download: Sendable {
  private let handlesCancellation: Bool
  private let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)

  init(handlesCancellation: Bool) { self.handlesCancellation = handlesCancellation }

  func run() async throws {
    try await Task.sleep(for: .seconds(1))
    Task { await self.answer() }
    await answered()
    try Task.checkCancellation()
  }

  private func answered() async {
    guard handlesCancellation else {
      return await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation }
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
    } onCancel: {
      resume()
    }
  }

  private func answer() async { resume() }

  private func resume() { waiting.withLock { $0.take() }?.resume() }
}

/// Never resumes its waiter after a cancellation.
private final class Line: Sendable {
  private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    } onCancel: {
      let forgotten = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      lost.append(forgotten)
    }
  }

  func open() {
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
  }
}

// Lost, but not released: a checked continuation warns when it is released.
private let lost = Log<[CheckedContinuation<Void, Never>]>()

@Suite struct ExploreCancellationTests {
  @Test(.needs(.capture)) func `code that handles cancellation ends wherever it is cancelled`()
    async throws
  {
    let count = try await exploreCancellation(allowing: .everything) {
      let download = Simulation.expectRelease(of: Download(handlesCancellation: true))
      try await download.run()
    }
    #expect(count >= 2)
  }

  @Test(.needs(.capture))
  func `a continuation that is lost when cancelled is a deadlock, and named`() async {
    let line = #line + 2
    let failures = await failures {
      _ = try? await exploreCancellation(body)
    }
    #expect(failures.map(\.line) == [line, line])
    #expect(failures.first?.text.hasPrefix("The simulation is deadlocked at 1 s") == true)
    #expect(failures.last?.withoutFunctions.text == text)
    #expect(await again() == failures.map(\.withoutFunctions.text))
  }

  private let body = { @Sendable () async throws -> Void in
    let line = Line()
    let opener = Task {
      try await Task.sleep(for: .seconds(1))
      line.open()
    }
    await line.wait()
    try await opener.value
  }

  private let text = """
    The body was cancelled at suspension 1 of 1. To replay it: exploreCancellation(at: 1) { ... }
      it was suspended
    Cancelled code must come to an end: resume each continuation in a cancellation handler, and \
    cancel or await the tasks that it has started.
    """

  private func again() async -> [String] {
    let texts = await failures { _ = try? await exploreCancellation(at: 1, body) }
    return texts.map(\.withoutFunctions.text)
      .map { $0.replacingOccurrences(of: "suspension 1.", with: "suspension 1 of 1.") }
  }

  @Test(.needs(.capture)) func `an object that is held is named`() async {
    let kept = Log<Purse>()
    let line = #line + 3
    let failures = await failures {
      _ = try? await exploreCancellation {
        kept.append(Simulation.expectRelease(of: Purse()))
        await Task.yield()
      }
    }
    #expect(failures.first?.line == line)
    #expect(
      failures.first?.text == """
        A Purse is still held when the body has ended.
        Usually a task, a closure or a continuation holds it. End the task or release the object before \
        the body ends.
        """)
  }

  @Test(.needs(.capture)) func `a suspension that the body does not reach is a failure`() async {
    let line = #line + 2
    let failures = await failures {
      _ = try? await exploreCancellation(at: 99) { await Task.yield() }
    }
    #expect(failures.map(\.line) == [line])
    // How often a yield suspends depends on the configuration.
    #expect(
      failures.first?.text.replacing(/after \d suspensions?/, with: "after 1 suspension") == """
        The body ended after 1 suspension, before suspension 99. It was not cancelled.
        The code has changed since the failure. Leave out at: to cancel it at each suspension.
        """)
  }

  @Test(.needs(.capture)) func `a body with more suspensions than the limit is a warning`() async {
    let line = #line + 3
    let cancelled = Locked<Int?>(nil)
    let warnings = await failures {
      let count = try? await exploreCancellation(limit: 2) { for _ in 0..<5 { await Task.yield() } }
      cancelled.withLock { $0 = count }
    }
    #expect(cancelled.withLock { $0 } == 2)
    #expect(warnings.map(\.line) == [line])
    #expect(
      warnings.first?.text.replacing(/\b(5|10)\b/, with: "n") == """
        The body has n suspensions, and was cancelled at the first 2 only.
        To cancel it at each, give limit: n.
        """)
  }

  @Test(.needs(.capture)) func `a failure without a cancellation is reported as it is`() async {
    let thrown = Locked<(any Error)?>(nil)
    let failures = await failures {
      do { try await exploreCancellation { throw Overdrawn() } } catch {
        thrown.withLock { $0 = error }
      }
    }
    #expect(failures == [])
    #expect(thrown.withLock { $0 is Overdrawn })
  }
}
