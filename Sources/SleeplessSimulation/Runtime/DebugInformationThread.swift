#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
  import Foundation
  import Sleepless

  /// The one thread on which the toolchain's `Runtime` reads debug information.
  ///
  /// `Runtime` keeps what it has read of a program, but for each thread separately (its `ElfImageCache.swift`).
  /// If each thread read for itself, each would need the memory, and the time for the whole program.
  package final class DebugInformationThread: Sendable {
    package static let shared = DebugInformationThread()

    private let requests = Locked(Fifo<@Sendable () -> Void>())
    private let requestCount = ThreadSignal()

    private init() {
      let thread = Thread { [self] in
        while true { runNext() }
      }
      thread.name = "Sleepless source lines"
      outsideSimulations { thread.start() }
    }

    /// Runs a function on the thread, after those of earlier calls, and waits for its result.
    package func result<Result: Sendable>(of lookUp: @escaping @Sendable () -> Result) -> Result {
      let result = Locked<Result?>(nil)
      let hasEnded = ThreadSignal()
      requests.withLock { requests in
        requests.append {
          let found = lookUp()
          result.withLock { $0 = found }
          hasEnded.send()
        }
      }
      requestCount.send()
      hasEnded.wait()
      return result.withLock { $0! }
    }

    private func runNext() {
      requestCount.wait()
      let request = requests.withLock { $0.popFirst() }
      request?()
    }
  }
#endif
