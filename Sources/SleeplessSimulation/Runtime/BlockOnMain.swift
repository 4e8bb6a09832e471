import CRuntimeHooks
import Sleepless

/// A real block of a queue that targets the main queue. A job that runs in it is on that queue, on the main queue and
/// on the main actor.
///
/// Other threads run a block on its queue with `sync`. The main thread cannot: `sync` would wait for the main queue,
/// which it already has.
struct BlockOnMain: Sendable {
  /// The queue's address; the lowest bit is set if the block is a barrier. The job's task keeps the queue alive.
  private let bits: UInt

  init(of queue: UnsafeMutableRawPointer, isBarrier: Bool) {
    bits = UInt(bitPattern: queue) | (isBarrier ? 1 : 0)
  }

  private var queue: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: bits & ~1)! }
  private var isBarrier: Bool { bits & 1 == 1 }

  /// Whether its queue, or a target of it, is suspended or not yet activated.
  var isSuspended: Bool { sleepless_is_suspended(queue) }

  /// Has the queue call a function in the block.
  @discardableResult func call(_ function: @escaping @Sendable () -> Void) -> Call {
    let call = Call(bits & ~1, function)
    sleepless_call_on_queue(queue, isBarrier, Unmanaged.passRetained(call).toOpaque()) { call in
      Unmanaged<Call>.fromOpaque(call!).takeRetainedValue().run()
    }
    return call
  }

  /// Whether this thread runs such a block of a queue.
  static func isRunning(of queue: UInt) -> Bool { running.value.queues.contains(queue) }

  private static let running = ThreadLocal { Running() }

  /// The queues whose blocks a thread runs. Only that thread uses it.
  private final class Running {
    var queues: [UInt] = []
  }

  /// A function that the queue is to call.
  final class Call: Sendable {
    private let queue: UInt
    /// Nil when it has been called, or withdrawn.
    private let function: Locked<(@Sendable () -> Void)?>

    fileprivate init(_ queue: UInt, _ function: @escaping @Sendable () -> Void) {
      self.queue = queue
      self.function = Locked(function)
    }

    /// Takes the function back; false if it has been called.
    func withdraw() -> Bool { function.withLock { $0.take() } != nil }

    /// Calls the function here, if it has not been called or withdrawn.
    func run() {
      guard let function = function.withLock({ $0.take() }) else { return }
      let running = BlockOnMain.running.value
      running.queues.append(queue)
      function()
      running.queues.removeLast()
    }
  }
}
