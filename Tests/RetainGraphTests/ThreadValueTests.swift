#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk
  import Dispatch
  import Foundation
  import RetainGraph
  import Testing

  /// The values that live threads keep with `pthread_setspecific` are roots of paths.
  @Suite(
    .serialized,
    .enabled(if: RetainPathSearch.findsThreadValues, "thread-specific values are not found"))
  struct ThreadValueTests {
    @Test func `a value of another thread is found, with the thread's number and name`() {
      withKey { key in
        let thread = KeepingThread(named: "keeper") { keep(Node(), as: key) }
        #expect(thread.path == "thread \(thread.number) \"keeper\" -> Node")
      }
    }

    @Test func `a thread with the program's name has a number only`() throws {
      let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8).dropLast()
      withKey { key in
        let thread = KeepingThread(named: String(name)) { keep(Node(), as: key) }
        #expect(thread.path == "thread \(thread.number) -> Node")
      }
    }

    @Test func `a path leads from the value to the object`() {
      withKey { key in
        let thread = KeepingThread(named: "keeper") {
          let owner = Node()
          let node = Node()
          owner.next = node
          _ = keep(owner, as: key)
          return address(of: node)
        }
        #expect(thread.path == "thread \(thread.number) \"keeper\" -> Node.next -> Node")
      }
    }

    @Test func `a value is found, however many keys there are`() {
      // The C library has the values of the first keys in another place than those of later ones.
      let keys = (1...70).map { _ in makeKey() }
      defer { for key in keys { pthread_key_delete(key) } }
      for key in [keys[0], keys[35], keys[69]] {
        let thread = KeepingThread(named: "keeper") { keep(Node(), as: key) }
        #expect(thread.path == "thread \(thread.number) \"keeper\" -> Node", "key \(key)")
      }
    }

    @Test func `an object in a thread's dictionary is found`() {
      let thread = KeepingThread(named: "keeper") {
        let node = Node()
        Thread.current.threadDictionary["node"] = node
        return address(of: node)
      }
      #expect(thread.path == "thread \(thread.number) \"keeper\" -> Thread -> Node")
    }

    @Test func `what is left of a deleted key holds nothing`() {
      let key = makeKey()
      let thread = KeepingThread { keep(Node(), as: key) }
      #expect(thread.path != nil)
      pthread_key_delete(key)
      #expect(thread.path == nil)
      // The new key mostly has the number of the deleted one.
      withKey { _ in #expect(thread.path == nil) }
    }

    @Test func `a value that retains nothing does not hold what another object holds`() {
      // Hidden from searches, and known, so that the optimiser keeps the object.
      var hiddenOwner: UInt = 0
      withKey { key in
        let thread = KeepingThread {
          let owner = Node()
          let node = Node()
          owner.next = node
          hiddenOwner = ~UInt(bitPattern: Unmanaged.passRetained(owner).toOpaque())
          pthread_setspecific(key, Unmanaged.passUnretained(node).toOpaque())
          return address(of: node)
        }
        #expect(thread.path == nil)
      }
      let owner = UnsafeRawPointer(bitPattern: ~hiddenOwner)!
      Unmanaged<Node>.fromOpaque(owner).release()
    }

    @Test func `a value that retains nothing does not hide the value that holds the object`() {
      withKey { key in
        withKey { other in
          let thread = KeepingThread(named: "keeper") {
            let owner = Node()
            let node = Node()
            owner.next = node
            _ = keep(owner, as: key)
            // The path from this value is shorter.
            pthread_setspecific(other, Unmanaged.passUnretained(node).toOpaque())
            return address(of: node)
          }
          #expect(thread.path == "thread \(thread.number) \"keeper\" -> Node.next -> Node")
        }
      }
    }

    @Test func `a value that retains nothing does not hold what a hundred objects hold`() {
      var owners: [Node] = []
      withKey { key in
        let thread = KeepingThread {
          let node = Node()
          owners = (1...100).map { _ in
            let owner = Node()
            owner.next = node
            return owner
          }
          pthread_setspecific(key, Unmanaged.passUnretained(node).toOpaque())
          return address(of: node)
        }
        #expect(thread.path == nil)
      }
      withExtendedLifetime(owners) {}
    }

    @Test func `what is left in an array's memory does not hold what a thread holds`() {
      withKey { key in
        let thread = KeepingThread(named: "keeper") { keep(Node(), as: key) }
        // The memory of an array literal like `[await load()]` has a count before it has elements. Here the element is
        // left over, too: nothing retains it.
        let array = UnmanagedArray(thread.object)
        #expect(thread.path == "thread \(thread.number) \"keeper\" -> Node")
        // An array that another object holds has its elements.
        let shelf = Shelf(array)
        #expect(thread.path == nil)
        shelf.clear()
        array.free()
      }
    }

    @Test func `a value is found while other threads end`() {
      withKey { key in
        for number in 1...300 {
          // The list of threads has these before the one that keeps a value.
          let others = (1...20).map { _ in KeepingThread { 0 } }
          let value = UInt(number) << 32 | 0x5eed
          let thread = KeepingThread {
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: value))
            return value
          }
          for other in others { other.letEnd() }
          for _ in 1...8 { #expect(isThreadValue(value)) }
          thread.end()
        }
      }
    }

    @Test func `a thread that has ended holds nothing`() {
      withKey { key in
        let thread = KeepingThread { keep(Node(), as: key) }
        #expect(thread.path != nil)
        thread.end()
        #expect(thread.path == nil)
      }
    }
  }

  private final class Node {
    var next: Node?
  }

  /// An array with one element that it does not retain. The program holds it where no search finds it.
  private struct UnmanagedArray {
    private let hiddenMemory: UInt

    /// Not inlined, so that the array is on the heap in a release build, too.
    @inline(never) init(_ node: UnsafeRawPointer) {
      let array = [Unmanaged<Node>.fromOpaque(node).takeUnretainedValue()]
      Unmanaged.passUnretained(array[0]).release()
      hiddenMemory = ~unsafeBitCast(array, to: UInt.self)
      _ = Unmanaged.passRetained(unsafeBitCast(array, to: AnyObject.self))
    }

    var elements: [Node] {
      unsafeBitCast(UnsafeRawPointer(bitPattern: ~hiddenMemory)!, to: [Node].self)
    }

    @inline(never) func free() {
      let array = elements
      _ = Unmanaged.passUnretained(array[0]).retain()
      Unmanaged.passUnretained(unsafeBitCast(array, to: AnyObject.self)).release()
    }
  }

  private final class Shelf {
    private var nodes: [Node]

    @inline(never) init(_ array: UnmanagedArray) { nodes = array.elements }

    @inline(never) func clear() { nodes = [] }
  }

  private func address(of node: Node) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque())
  }

  /// Whether a thread has this value.
  private func isThreadValue(_ value: UInt) -> Bool {
    var sought = (value: value, isFound: false)
    withUnsafeMutablePointer(to: &sought) { pointer in
      sleepless_each_thread_value(pointer) { context, _, _, value in
        let sought = context!.assumingMemoryBound(to: (value: UInt, isFound: Bool).self)
        if value == sought.pointee.value { sought.pointee.isFound = true }
      }
    }
    return sought.isFound
  }

  /// A key whose values are not released when their thread ends.
  private func makeKey() -> pthread_key_t {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }

  private func withKey(_ body: (pthread_key_t) -> Void) {
    let key = makeKey()
    body(key)
    pthread_key_delete(key)
  }

  /// Gives the calling thread the only reference to an object; returns its address.
  private func keep(_ node: Node, as key: pthread_key_t) -> UInt {
    pthread_setspecific(key, Unmanaged.passRetained(node).toOpaque())
    return address(of: node)
  }

  /// A thread that makes an object, and then waits until it is to end.
  private final class KeepingThread {
    private final class Work: @unchecked Sendable {
      // Unchecked because the thread writes before it signals, and the test reads after that.
      let name: String?
      let makeObject: () -> UInt
      var object: UInt = 0
      var number = ""
      let isDone = DispatchSemaphore(value: 0)
      let isToEnd = DispatchSemaphore(value: 0)

      init(_ name: String?, _ makeObject: @escaping () -> UInt) {
        self.name = name
        self.makeObject = makeObject
      }

      func run() {
        let file = "/proc/thread-self"
        if let name { try! name.write(toFile: "\(file)/comm", atomically: false, encoding: .utf8) }
        number = try! URL(filePath: FileManager.default.destinationOfSymbolicLink(atPath: file))
          .lastPathComponent
        object = makeObject()
        isDone.signal()
        isToEnd.wait()
      }
    }

    private let work: Work
    private var thread: pthread_t?

    /// `makeObject` returns the object's address.
    init(named name: String? = nil, _ makeObject: @escaping () -> UInt) {
      work = Work(name, makeObject)
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { work in
          Unmanaged<Work>.fromOpaque(work!).takeUnretainedValue().run()
          return nil
        }, Unmanaged.passUnretained(work).toOpaque())
      self.thread = thread
      work.isDone.wait()
    }

    deinit { end() }

    var number: String { work.number }
    var object: UnsafeRawPointer { UnsafeRawPointer(bitPattern: work.object)! }

    /// The path to the object, if it begins at a thread-specific value.
    var path: String? {
      // A word in the data of a C library, or of a sanitizer, may be an address that is left over.
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
        RetainPathSearch.Variable(name: "", isOfSwift: false)
      }
      guard case .thread(let path) = search.holder(of: work.object) else { return nil }
      return path.description
    }

    func letEnd() { work.isToEnd.signal() }

    /// Returns when the thread has ended.
    func end() {
      guard let thread else { return }
      letEnd()
      pthread_join(thread, nil)
      self.thread = nil
    }
  }
#endif
