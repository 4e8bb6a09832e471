import Foundation
import RetainGraph
import Sleepless
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

private final class Ship: Sendable {
  let log: Log<String>?
  init(_ log: Log<String>? = nil) { self.log = log }
  deinit { log?.append("gone") }
}
private final class Flagship: Sendable {
  static let shared = Flagship()
  let ship = Ship()
}
private final class Dock {
  var ship: Ship?
}
private final class Node {
  var next: Node?
  unowned(unsafe) var stale: Node?
  var owner: AnyObject?
}

@Suite struct MemoryWatchTests {
  @Test func `M2 work that holds an object is waited for`() async {
    await withEndOfTest {
      let ship = Ship()
      assertMemoryDeallocation(in: ship)
      Task { _ = ship }
      DispatchQueue.global().async { _ = ship }
    }
  }

  @Test func `M2 an object that another thread releases during the check is no failure`() async {
    // Each round may search memory. Searches run one at a time.
    for _ in 0..<50 {
      await expectDeallocated {
        let ship = Ship()
        Thread.detachNewThread { withExtendedLifetime(ship) {} }
        return ship
      }
    }
  }

  @Test func `M2 the check waits for a cycle that can still be broken`() async {
    await expectDeallocated {
      let node = Node()
      node.next = node
      nonisolated(unsafe) weak let weakNode = node
      // real time: the check has to begin before the cycle is broken
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { weakNode?.next = nil }
      return node
    }
    await expectDeallocated {
      let node = Node()
      node.next = node
      nonisolated(unsafe) unowned let unownedNode = node
      // real time: as above
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { unownedNode.next = nil }
      return node
    }
  }

  @Test(.needs(.memorySearch)) func `a singleton is named by its property`() async {
    let line = #line + 3
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await expectDeallocated { Flagship.shared }
      }
    }
    let text = Leak.program("Flagship", "Flagship.shared -> Flagship")
    #expect(failures == [Failure(text, line: line)])
  }

  @Test func `M3 a watched object is released as if it were not watched`() async {
    let log = Log<String>()
    await withEndOfTest {
      do {
        let ship = trackMemory(of: Ship(log))
        assertMemoryDeallocation(in: ship, ship)
        log.append("watched")
      }
      log.append("released")
    }
    #expect(log.values == ["watched", "gone", "released"])
  }

  @Test func `M3 a search does not retain the objects`() async {
    weak var weakShip: Ship?
    let held = Locked<Ship?>(nil)
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await expectDeallocated {
          let ship = Ship()
          weakShip = ship
          held.withLock { $0 = ship }
          return ship
        }
      }
    }
    #expect(failures.count == 1 && weakShip != nil)
    held.withLock { $0 = nil }
    #expect(weakShip == nil)
  }

  // Synchronous, since an asynchronous function's variables can be found.
  @Test(.needs(.memorySearch))
  func `an object held by a variable outside is said to be held elsewhere`() {
    let dock = Dock()
    // Not a variable of this function: the optimiser would put the object on the stack.
    let hidden = ~UInt(bitPattern: Unmanaged.passRetained(dock).toOpaque())
    let line = #line + 2
    let failures = failuresAfterShortWait {
      expectDeallocated {
        let ship = Ship()
        dock.ship = ship
        return ship
      }
    }
    #expect(
      failures.map(\.withoutCounts) == [
        Failure(
          """
          Ship was not deallocated: 1 strong reference to it left. Where the path to it begins was not \
          found.
            ... -> Dock.ship -> Ship
          Searched without result: the object itself (*); static properties and global variables (*); \
          thread-specific values (*); NotificationCenter.default (*); OperationQueue.main (*); all memory.
          It may begin in a variable of a function that has not returned, on a queue or a run loop, in \
          memory that a thread-specific value points to, or in C code.
          """, line: line)
      ])
    dock.ship = nil
    Unmanaged<Dock>.fromOpaque(UnsafeRawPointer(bitPattern: ~hidden)!).release()
  }

  @Test(.needs(.memorySearch))
  func `an object without a path is reported with its number of references`() {
    let hidden = Locked<UInt>(0)
    let line = #line + 2
    let failures = failuresAfterShortWait {
      expectDeallocated {
        let ship = Ship()
        hidden.withLock {
          $0 = ~UInt(bitPattern: Unmanaged.passRetained(ship).retain().toOpaque())
        }
        return ship
      }
    }
    #expect(
      failures.map(\.withoutCounts) == [
        Failure(
          """
          Ship was not deallocated: 2 strong references to it left, in places that the search does \
          not reach.
          Searched without result: the object itself (*); static properties and global variables (*); \
          thread-specific values (*); NotificationCenter.default (*); OperationQueue.main (*); all memory.
          It may be held by a variable of a function that has not returned, by a closure on a queue, by \
          memory that a thread-specific value points to, or by C code.
          """, line: line)
      ])
    let ship = UnsafeRawPointer(bitPattern: ~hidden.withLock { $0 })!
    Unmanaged<Ship>.fromOpaque(ship).release()
    Unmanaged<Ship>.fromOpaque(ship).release()
  }

  @Test func `a timer of the notification center's does not lead to another timer`() {
    // GCD's objects are safe from any thread but do not say so.
    nonisolated(unsafe) let held = timer {}
    nonisolated(unsafe) var other: (any DispatchSourceTimer)?
    let observer = NotificationCenter.default.addObserver(
      forName: Notification.Name("nobody posts it"), object: nil, queue: nil
    ) { _ in withExtendedLifetime(held) {} }
    let failures = failuresAfterShortWait {
      expectDeallocated {
        let ship = Ship()
        other = timer { withExtendedLifetime(ship) {} }
        return ship
      }
    }
    #expect(failures.count == 1)
    #expect(failures.allSatisfy { !$0.text.contains("NotificationCenter.default ->") })
    NotificationCenter.default.removeObserver(observer)
    withExtendedLifetime(other) { other = nil }
  }

  @Test(.needs(.memorySearch)) func `a search that is given up says so`() async {
    let list = LongList(count: 1000)
    let line = #line + 4
    let failures = await failures {
      await RetainPathSearch.$stepLimit.withValue(0) {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await expectDeallocated { list.head! }
        }
      }
    }
    #expect(
      failures.map(\.withoutCounts) == [
        Failure(
          """
          Node was not deallocated: 1 strong reference to it left, in places that the search does \
          not reach.
          Searched without result: the object itself (given up after *); static properties \
          and global variables (given up after *); thread-specific values (*); \
          NotificationCenter.default (*); OperationQueue.main (*); all memory (given up).
          It may be held by a variable of a function that has not returned, by a closure on a queue, by \
          memory that a thread-specific value points to, or by C code.
          """, line: line)
      ])
    list.dismantle()
  }

  @Test func `several objects are judged one by one`() async {
    let line = #line + 3
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await expectDeallocated {
          let cycle = Node()
          cycle.next = cycle
          return (cycle, Node())
        }
      }
    }
    #expect(failures.map(\.line) == [line])
  }

  @Test(.needs(.memorySearch)) func `a stale unowned reference does not stop the check`() async {
    let failures = await failures {
      await expectDeallocated {
        let node = Node()
        node.next = node
        var gone: Node? = Node()
        node.stale = gone
        gone = nil
        return node
      }
    }
    #expect(failures.map { $0.text.contains("Node.next -> Node") } == [true])
  }

  @Test func `objects of Foundation can be watched`() async {
    await expectDeallocated {
      [
        NSObject(), NSMutableArray(array: [1, 2]), OperationQueue(), NSLock(),
        NSMutableDictionary(), Thread {}, DateFormatter(),
      ] as [AnyObject]
    }
  }

  @Test(.needs(.memorySearch))
  func `a list of a million objects is walked`() async {
    let list = LongList(count: 1_000_000)
    list.close()
    let line = #line + 3
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        await expectDeallocated { list.head! }
      }
    }
    let way = "Node.next -> Node.next -> Node.next -> Node.next"
    let walked = Leak.cycle("Node", "\(way) -> \(way) -> ... -> \(way.dropLast(5))")
    #expect(failures == [Failure(walked, line: line)])
    list.dismantle()
  }

  @Test(.needs(.memorySearch), arguments: [999, 1000])
  func `a search gives up after as many steps as it may take`(count: Int) async {
    let list = LongList(count: count)
    list.close()
    let failures = await failures {
      await RetainPathSearch.$stepLimit.withValue(998) {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await expectDeallocated { list.head! }
        }
      }
    }
    #expect(
      failures.map { $0.text.contains("the object itself (given up after 999 objects)") }
        == [count > 999])
    list.dismantle()
  }

  @Test(.needs(.objectBirths)) func `a round trip that leaves nothing does not grow`() async {
    await assertNoGrowth {
      let node = Node()
      node.next = Node()
      await Task { _ = Ship() }.value
    }
  }

  @Test(.needs(.objectBirths)) func `a cache that fills once does not grow`() async {
    let cache = Locked<[Int: Ship]>([:])
    await assertNoGrowth { cache.withLock { $0[0] = $0[0] ?? Ship() } }
    await assertNoGrowth { cache.withLock { $0[0] = Ship() } }
  }

  @Test(.needs(.objectBirths))
  func `a cache that fills once, in whichever round, does not grow`() async {
    for rounds in 2...5 {
      for filling in 1...rounds {
        let cache = Locked<[Ship]>([])
        var ranRounds = 0
        await assertNoGrowth(rounds: rounds) {
          if ranRounds == filling { cache.withLock { $0.append(Ship()) } }
          ranRounds += 1
        }
        // One round is half of three, rounded down, and less than half of four.
        #expect(ranRounds == 1 + (rounds < 4 ? 2 : 1) * rounds)
      }
    }
  }

  @Test(.needs(.objectBirths))
  func `a cache that is full before the last round does not grow`() async {
    for places in [4, 5, 8, 50] {
      let cache = Locked<[Ship]>([])
      var ranRounds = 0
      await assertNoGrowth(rounds: places + 2) {
        ranRounds += 1
        cache.withLock { if $0.count < places { $0.append(Ship()) } }
      }
      // The first round is not counted, and as many rounds again follow.
      #expect(ranRounds == 1 + 2 * (places + 2))
    }
  }
}

/// The failures of code, with a short wait for objects.
private func failuresAfterShortWait(of body: () -> Void) -> [Failure] {
  failures { HangTimeout.$shortened.withValue(.milliseconds(20)) { body() } }
}

extension Failure {
  /// The same without the numbers of objects that were searched.
  fileprivate var withoutCounts: Failure {
    var failure = self
    failure.text = text.replacing(#/\d+ objects?\b/#, with: "*")
      // The numbers depend on the objects and threads of other tests that run at the same time.
      .replacing(
        #/(?<name>thread-specific values|NotificationCenter\.default|OperationQueue\.main) \(given up after \*\)/#
      ) { "\($0.name) (*)" }
    return failure
  }
}

/// Nodes that are released one after the other: otherwise their `deinit`s would nest a million deep.
private final class LongList: @unchecked Sendable {
  // Unchecked because one test uses it.
  private(set) var head: Node?

  init(count: Int) {
    for _ in 0..<count {
      let node = Node()
      node.next = head
      head = node
    }
  }

  func close() {
    var last = head
    while let next = last?.next { last = next }
    last?.next = head
  }

  func dismantle() { while let next = head?.next { head?.next = nil; head = next } }
}

final class MemoryWatchXCTests: FailureCatchingTestCase {
  private var ship: Ship?

  func testTheTestCaseIsNamed() async throws {
    try Need.memorySearch.orSkip()
    let line = #line + 3
    let failures = await failures {
      await withEndOfTest {
        assertMemoryDeallocation(in: makeShip())
      }
    }
    XCTAssertEqual(
      failures,
      [
        Failure(
          """
          Ship was not deallocated: the test case holds it.
            MemoryWatchXCTests.ship -> Ship
          XCTest keeps each test case until the process ends. Use a local variable, or set the property to \
          nil in the test or in a teardown block; tearDown() comes too late.
          """, line: line)
      ])
    ship = nil
  }

  private func makeShip() -> Ship {
    ship = Ship()
    return ship!
  }

  func testASynchronousTestWaits() {
    for _ in 0..<20 {
      expectDeallocated {
        let ship = Ship()
        Task { @MainActor in _ = ship }
        DispatchQueue.main.async { _ = ship }
        return ship
      }
    }
  }

  func testWatchedUntilTheEnd() {
    assertMemoryDeallocation(in: trackMemory(of: Ship()), Ship())
  }

  func testNoGrowth() throws {
    try Need.objectBirths.orSkip()
    assertNoGrowth { _ = Ship() }
  }
}

@Suite(.checkedAtEnd) struct CheckedAtEndMemoryTests {
  @Test func `a suite's trait knows the end`() {
    assertMemoryDeallocation(in: trackMemory(of: Ship()))
  }

  @Test(.needs(.capture), .simulated)
  func `an object is waited for that a task tracks while the end waits for rest`() async {
    let numbers = Recorder<Int, Never>("numbers")
    Task {
      let ship = trackMemory(of: Ship())
      try await Task.sleep(for: .seconds(60))  // real time: none, it is simulated
      withExtendedLifetime(numbers) {}
      _ = ship
    }
  }

  @Test(.needs(.capture), .simulated) func `a simulation knows the end of its test`() async throws {
    let ship = Ship()
    assertMemoryDeallocation(in: ship)
    Task {
      try await Task.sleep(for: .seconds(60))  // real time: none, it is simulated
      _ = ship
    }
  }
}

/// A timer that waits for an hour.
private func timer(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
  let timer = DispatchSource.makeTimerSource()
  timer.setEventHandler(handler: handler)
  // real time: it is released before
  timer.schedule(deadline: .now() + 3600)
  timer.activate()
  return timer
}
