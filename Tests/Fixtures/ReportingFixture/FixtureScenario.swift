import Foundation
import Sleepless
import SleeplessTesting

/// What one run of the fixture shows, read from its arguments: `xctest after queue`.
struct FixtureScenario: Sendable {
  /// Where the helper fails.
  enum Context: String { case sync, async, task, detached, queue, thread }

  static let current = FixtureScenario()

  let scenario: String
  let context: Context
  /// The tests of the matrix that run: `queue`, or `queue,thread`.
  let matrixTests: [String]

  private init() {
    let arguments = CommandLine.arguments
    scenario = arguments.count > 2 ? arguments[2] : ""
    let place = arguments.count > 3 ? arguments[3] : ""
    context = Context(rawValue: place) ?? .sync
    matrixTests = place.split(separator: ",").map(String.init)
  }
}

extension FixtureScenario.Context {
  static var current: Self { FixtureScenario.current.context }

  /// Whether a helper that is made there can tell in Swift Testing which test runs.
  var knowsItsTest: Bool { self == .sync || self == .async || self == .task }

  /// Runs code there and waits for its end; `async` where code may be asynchronous.
  func run(
    _ body: @escaping @Sendable () -> Void, async: (@Sendable () async -> Void)? = nil
  ) async {
    let asyncBody = async ?? { body() }
    switch self {
    case .sync: body()
    case .async: await asyncBody()
    case .task: await Task { await asyncBody() }.value
    case .detached: await Task.detached { await asyncBody() }.value
    case .queue:
      await withCheckedContinuation { done in
        DispatchQueue(label: "elsewhere").async {
          body()
          done.resume()
        }
      }
    case .thread:
      await withCheckedContinuation { done in
        Thread.detachNewThread {
          body()
          done.resume()
        }
      }
    }
  }
}

/// A helper that outlives the test that made it.
final class Leftover: Sendable {
  static let shared = Leftover()

  private let kept = Locked<Reporter?>(nil)

  func keep(_ reporter: Reporter) { kept.withLock { $0 = reporter } }

  func fail() { kept.withLock { $0 }?.fail("the helper failed\nand said so") }
}

/// Opens once and stays open.
final class Gate: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var hasOpened = false  // under the condition's lock
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  var isOpen: Bool { condition.withLock { hasOpened } }

  func open() {
    condition.withLock {
      hasOpened = true
      condition.broadcast()
    }
    continuation.finish()
  }

  /// Waits on a thread that may be blocked. Not inlined, so that the line of its caller is known in release, too.
  @inline(never)
  func block() {
    condition.withLock {
      while !hasOpened { condition.wait() }
    }
  }

  /// Waits in a task. Only one task may.
  func wait() async { for await _ in stream {} }
}

/// Fails one helper from eight threads at once.
func failFromEightThreads(_ reporter: Reporter) {
  DispatchQueue.concurrentPerform(iterations: 8) { index in
    reporter.fail("failure number \(index)")
  }
}
