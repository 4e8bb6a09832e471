#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import Dispatch
  import Foundation
  import RetainGraph
  import Sleepless
  import Testing

  /// A search reads memory as it was at one moment.
  @Suite(
    .enabled(if: RetainPathSearch.readsOneMoment, "memory is read while other threads change it"))
  struct SnapshotTests {
    @Test func `M4 an object in an array that another thread moves all the time is found`() {
      let item = Item()
      Shelf.items.withLock { $0 = [item] }
      let mover = Mover()
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
        RetainPathSearch.Variable(name: "Shelf.items", isOfSwift: true)
      }
      let address = UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque())
      let holders = (1...20).map { _ in search.holder(of: address) }
      let paths = holders.compactMap {
        if case .program(let path) = $0 { path.description } else { nil }
      }
      #expect(paths == Array(repeating: "Shelf.items -> Locked<Array<Item>> -> Item", count: 20))
      mover.stop()
      Shelf.items.withLock { $0 = [] }
    }

    @Test func `a search leaves no child process`() throws {
      // The children of this thread.
      func children() throws -> Set<Substring> {
        Set(
          try String(contentsOfFile: "/proc/thread-self/children", encoding: .utf8).split(
            separator: " "))
      }
      let before = try children()
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
        RetainPathSearch.Variable(name: "", isOfSwift: true)
      }
      let item = Item()
      _ = search.holder(of: UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque()))
      #expect(try children().subtracting(before) == [])
      withExtendedLifetime(item) {}
    }
  }

  private final class Item: Sendable {}

  private enum Shelf {
    static let items = Locked<[Item]>([])
  }

  /// A thread that moves the array's elements to other memory until it is stopped.
  private final class Mover: Sendable {
    private let isRunning = Locked(true)
    private let ended = DispatchSemaphore(value: 0)

    init() {
      Thread.detachNewThread { [isRunning, ended] in
        var size = 1
        while isRunning.withLock({ $0 }) {
          size = size % 40 + 1
          Shelf.items.withLock { items in items += (0..<size).map { _ in Item() } }
          Shelf.items.withLock { items in items = [items[0]] }
        }
        ended.signal()
      }
    }

    /// Returns when the thread has ended.
    func stop() {
      isRunning.withLock { $0 = false }
      ended.wait()
    }
  }
#endif
