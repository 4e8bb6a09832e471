#if SLEEPLESS_CAPTURES_PROCESS
  import Dispatch
  import Foundation
  import Sleepless

  /// A simulation's main operation queue: `OperationQueue.main` for its code.
  final class MainOperations: Sendable {
    private let queue = Locked<OperationQueue?>(nil)

    var value: OperationQueue {
      queue.withLock { queue in
        if let queue { return queue }
        let new = OperationQueue()
        new.name = "NSOperationQueue Main Queue"
        new.maxConcurrentOperationCount = 1
        new.underlyingQueue = .main
        queue = new
        return new
      }
    }
  }
#endif
