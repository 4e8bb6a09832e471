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
    @Test func `M4 an object that another thread moves from holder to holder is found`() {
      let item = Item()
      Shelf.box.withLock { $0 = Box(item) }
      let mover = Mover()
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
        RetainPathSearch.Variable(name: "Shelf.box", isOfSwift: true)
      }
      let address = UInt(bitPattern: Unmanaged.passUnretained(item).toOpaque())
      let paths = (1...20).map { _ in
        let holder = search.holder(of: address)
        return if case .program(let path) = holder { path.description } else { "\(holder)" }
      }
      #expect(Set(paths) == ["Shelf.box -> Locked<Optional<Box>> -> Box.item -> Item"])
      mover.stop()
      Shelf.box.withLock { $0 = nil }
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

  private final class Box: Sendable {
    let item: Item

    init(_ item: Item) { self.item = item }
  }

  private enum Shelf {
    static let box = Locked<Box?>(nil)
  }

  /// A thread that puts the item into another box all the time, until it is stopped. At each moment a box holds it.
  private final class Mover: Sendable {
    private let isRunning = Locked(true)
    private let ended = DispatchSemaphore(value: 0)

    init() {
      Thread.detachNewThread { [isRunning, ended] in
        var others: [Item] = []
        while isRunning.withLock({ $0 }) {
          Shelf.box.withLock { $0 = Box($0!.item) }
          // Memory that a box has left is used again.
          others = others.count < 40 ? others + [Item()] : []
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
