import Foundation
import Sleepless
import SleeplessTesting
import Testing
import XCTest

private final class Ship: Sendable {
  let log: Log<String>?
  init(_ log: Log<String>? = nil) { self.log = log }
  deinit { log?.append("gone") }
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

  @Test func `M2 an object that goes on another thread while it is judged is no failure`() async {
    for _ in 0..<200 {
      await expectDeallocated {
        let ship = Ship()
        Thread.detachNewThread { withExtendedLifetime(ship) {} }
        return ship
      }
    }
  }

  @Test func `M3 a watched object goes as if nobody watched`() async {
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

  @Test func `M3 to search is not to hold`() async {
    weak var weakShip: Ship?
    let held = Locked<Ship?>(nil)
    let failures = await failures {
      await Guard.$shortened.withValue(.milliseconds(300)) {
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

  @Test func `an object held by a variable outside is said to be held elsewhere`() async throws {
    let held = Locked<Ship?>(nil)
    let line = #line + 3
    let failures = await failures {
      await Guard.$shortened.withValue(.milliseconds(300)) {
        await expectDeallocated {
          let ship = Ship()
          held.withLock { $0 = ship }
          return ship
        }
      }
    }
    let failure = try #require(failures.first)
    #expect(failures.count == 1 && failure.line == line)
    #expect(failure.text.firstLine.hasPrefix("Ship was not deallocated: "))
    held.withLock { $0 = nil }
  }

  @Test func `an observer that is not removed is found`() async {
    let observers = Log<Observer>()
    let line = #line + 3
    let failures = await failures {
      await Guard.$shortened.withValue(.milliseconds(300)) {
        await expectDeallocated {
          let ship = Ship()
          let observer = NotificationCenter.default
            .addObserver(forName: .init("change"), object: nil, queue: nil) { _ in _ = ship }
          observers.append(Observer(object: observer))
          return ship
        }
      }
    }
    #expect(failures.map(\.line) == [line])
    for observer in observers.values { NotificationCenter.default.removeObserver(observer.object) }
  }

  @Test func `several objects are judged one by one`() async {
    let line = #line + 2
    let failures = await failures {
      await expectDeallocated {
        let cycle = Node()
        cycle.next = cycle
        return (cycle, Node())
      }
    }
    #expect(failures.map(\.line) == [line])
  }

  @Test func `a stale unowned reference stops nobody`() async {
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
    #expect(failures.map { $0.text.contains("Node.next → Node") } == [true])
  }

  @Test func `objects of Foundation can be watched`() async {
    await expectDeallocated {
      [
        NSObject(), NSMutableArray(array: [1, 2]), OperationQueue(), NSLock(),
        NSMutableDictionary(), Thread {}, DateFormatter(),
      ] as [AnyObject]
    }
  }

  @Test func `a list of a million objects is walked, or given up, in words`() async {
    let list = LongList(count: 1_000_000)
    let line = #line + 3
    let failures = await failures {
      await Guard.$shortened.withValue(.milliseconds(300)) {
        await expectDeallocated { list.head! }
      }
    }
    #expect(failures.map(\.line) == [line])
    list.dismantle()
  }

  @Test func `a round trip that leaves nothing does not grow`() async {
    await assertNoGrowth {
      let node = Node()
      node.next = Node()
      await Task { _ = Ship() }.value
    }
  }

  @Test func `what fills once does not grow`() async {
    let cache = Locked<[Int: Ship]>([:])
    await assertNoGrowth { cache.withLock { $0[0] = $0[0] ?? Ship() } }
    await assertNoGrowth { cache.withLock { $0[0] = Ship() } }
  }
}

private struct Observer: @unchecked Sendable {
  // Unchecked because only one test uses it.
  let object: any NSObjectProtocol
}

/// Nodes that are let go one after the other: their own `deinit`s would nest a million deep.
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

  func dismantle() { while let next = head?.next { head?.next = nil; head = next } }
}

final class MemoryWatchXCTests: FailureTestCase {
  private var ship: Ship?

  func testTheTestCaseIsNamed() async {
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
            MemoryWatchXCTests.ship → Ship
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

  func testNoGrowth() {
    assertNoGrowth { _ = Ship() }
  }
}

@Suite(.checkedAtEnd) struct CheckedAtEndMemoryTests {
  @Test func `a suite's trait knows the end`() {
    assertMemoryDeallocation(in: trackMemory(of: Ship()))
  }

  @Test(.simulated) func `so does a simulation`() async throws {
    let ship = Ship()
    assertMemoryDeallocation(in: ship)
    Task {
      try await Task.sleep(for: .seconds(60))  // real time: none, it is simulated
      _ = ship
    }
  }
}
