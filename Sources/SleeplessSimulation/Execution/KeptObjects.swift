#if SLEEPLESS_CAPTURES_PROCESS
  import Dispatch
  import Foundation
#endif

/// What an executor keeps for the code of others.
///
/// It is no part of `SimulationState`, because Foundation makes the operation queue while the lock is held, and must
/// not be called under the state's lock.
struct KeptObjects {
  /// The objects of other modules, until the simulation ends.
  var associated: [any AnyObject & Sendable] = []

  #if SLEEPLESS_CAPTURES_PROCESS
    /// The blocks that run loops other than the main one are to run, by the run loops' addresses.
    var runLoopBlocks: [UInt: [PerformedBlock]] = [:]

    /// The simulation's main operation queue: `OperationQueue.main` for its code.
    private(set) lazy var mainOperations = {
      let queue = OperationQueue()
      queue.name = "NSOperationQueue Main Queue"
      queue.maxConcurrentOperationCount = 1
      queue.underlyingQueue = .main
      return queue
    }()
  #endif
}
