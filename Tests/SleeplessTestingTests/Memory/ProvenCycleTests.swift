#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import Foundation
  import RetainGraph
  import Sleepless
  import SleeplessTesting
  import TestSupport
  import Testing
  import VirtualTime

  extension LeakSuites {
    /// A check does not wait for the release of an object that is proven to hold itself.
    @Suite(.serialized, .needs(.memorySearch)) struct ProvenCycleTests {
      private static let proven: [Kind] = [
        Kind("a plain cycle") { $0.next = $0 },
        Kind("a cycle of two objects") { worker in
          worker.next = Worker()
          worker.next?.next = worker
        },
        Kind("with a weak reference inside") { worker in
          worker.next = Worker()
          worker.next?.next = worker
          worker.next?.owner = worker
        },
        Kind("with a weak reference by protocol inside") { worker in
          worker.next = worker
          worker.delegate = worker
        },
        Kind("with a closure that captures it weakly") { worker in
          worker.next = worker
          worker.action = { [weak worker] in worker?.action = nil }
        },
        Kind("through a closure") { worker in
          worker.action = { withExtendedLifetime(worker) {} }
        },
        Kind("through a closure of generic code") { $0.action = keeping($0) },
        Kind("through a closure of generic code, beside a weak reference") {
          $0.action = keepingWeakly($0, beside: $0)
        },
        Kind("through a block") { worker in
          worker.item = DispatchWorkItem { withExtendedLifetime(worker) {} }
        },
      ]

      private let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil

      @Test(arguments: proven)
      private func `what is proven to hold itself is told without a wait, in 100 ms`(kind: Kind) {
        // The facts are sampled once in a process, before the first search.
        #expect(RetainPathSearch.obstacle == nil)
        let told = (1...3).map { _ in Told(kind) }
        for told in told {
          #expect(told.failures.count == 1)
          #expect(told.failures.first?.text.contains(": it keeps itself alive.\n") == true)
          #expect(told.waits == 0)
        }
        // Processor time, so that a busy machine makes no difference. In debug builds 0.5 to 2 ms were measured. Under
        // the thread sanitizer, which makes reads of memory slow, 100 to 112 ms were.
        let limit = Duration.milliseconds(isUnderThreadSanitizer ? 500 : 100)
        #expect(told.map(\.processorTime).min()! < limit)
        #expect(told.map(\.processorTime).max()! < .seconds(1))
      }

      @Test func `what is not proven to hold itself is waited for`() {
        let told = HangTimeout.$shortened.withValue(.milliseconds(1)) {
          Told(
            Kind("an unowned reference inside") { worker in
              worker.next = worker
              worker.unowned = worker
            })
        }
        #expect(told.failures.count == 1)
        #expect(told.waits == 1)
      }
    }

  }

  /// What a check did with an object, and how much processor time it took.
  private struct Told {
    let failures: [Failure]
    let waits: Int
    let processorTime: Duration

    init(_ kind: Kind) {
      let waits = Locked(0)
      let time = Locked(Duration.zero)
      failures = SleeplessTestingTests.failures {
        ReleaseWatch.$waitCount.withValue(waits) {
          let start = Self.processorTime
          expectDeallocated { kind.make() }
          time.withLock { $0 = Self.processorTime - start }
        }
      }
      self.waits = waits.withLock { $0 }
      processorTime = time.withLock { $0 }
    }

    /// The processor time of the calling thread.
    private static var processorTime: Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
  }

  /// A way in which an object holds itself.
  private struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let close: @Sendable (Worker) -> Void

    init(_ name: String, close: @escaping @Sendable (Worker) -> Void) {
      testDescription = name
      self.close = close
    }

    /// Not inlined: the caller would hold the object.
    @inline(never) func make() -> Worker {
      let worker = Worker()
      close(worker)
      return worker
    }
  }

  private protocol Delegate: AnyObject {}

  private final class Worker: Delegate, @unchecked Sendable {
    // Unchecked because one test at a time uses it.
    var next: Worker?
    weak var owner: Worker?
    weak var delegate: (any Delegate)?
    unowned var unowned: Worker?
    var action: (() -> Void)?
    var item: DispatchWorkItem?
  }

  // Not inlined: the optimiser would make closures that are not generic.

  @inline(never) private func keeping<Value>(_ value: Value) -> () -> Void {
    { withExtendedLifetime(value) {} }
  }

  @inline(never)
  private func keepingWeakly<Object: AnyObject>(
    _ object: Object, beside other: Object
  ) -> () -> Void {
    { [weak object] in withExtendedLifetime((object, other)) {} }
  }
#endif
