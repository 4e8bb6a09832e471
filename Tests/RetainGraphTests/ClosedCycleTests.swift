#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import Dispatch
  import RetainGraph
  import Testing

  /// Whether a search proves that no code can release an object any more: then no check waits for the release.
  @Suite(.serialized, .enabled(if: RetainPathSearch.obstacle == nil, "memory cannot be searched"))
  struct ClosedCycleTests {
    private static let closed: [Shape] = [
      Shape("a cycle of one object") {
        let node = Node()
        node.strong = node
        return node
      },
      Shape("a weak reference inside the cycle") {
        let parent = Node()
        let child = Node()
        parent.strong = child
        child.strong = parent
        child.weak = parent
        return parent
      },
      Shape("a weak reference of an object that only the cycle holds") {
        let node = Node()
        node.strong = node
        let part = Node()
        node.other = part
        part.weak = node
        return node
      },
      Shape("a weak delegate by protocol") {
        let node = Node()
        node.strong = node
        let part = Part()
        node.other = part
        part.delegate = node
        return node
      },
      Shape("a closure that captures it weakly") {
        let node = Node()
        node.strong = node
        node.action = { [weak node] in node?.action = nil }
        return node
      },
      Shape("a weak reference in an element of an array") {
        let node = Node()
        node.strong = node
        node.list = [Weak(node), Weak(node)]
        return node
      },
      Shape("a weak reference in a value of a dictionary") {
        let node = Node()
        node.strong = node
        node.table = ["it": Weak(node)]
        return node
      },
      Shape("a block in a property") {
        let node = Node()
        node.block = block(holding: node)
        return node
      },
      Shape("a work item") {
        let node = Node()
        node.item = DispatchWorkItem(block: block(holding: node))
        return node
      },
    ]

    private static let open: [Shape] = [
      Shape("a block that is also held outside") {
        let node = Node()
        let block = block(holding: node)
        node.block = block
        kept.append(Holder(block))
        return node
      },
      Shape("a work item that is also held outside") {
        let node = Node()
        let item = DispatchWorkItem(block: block(holding: node))
        node.item = item
        kept.append(item)
        return node
      },
      Shape("a work item whose block is also held outside") {
        let node = Node()
        let block = block(holding: node)
        node.item = DispatchWorkItem(block: block)
        kept.append(Holder(block))
        return node
      },
      Shape("a weak reference outside") {
        let node = Node()
        node.strong = node
        kept.append(Weak(node))
        return node
      },
      Shape("a weak reference of an object that is also held outside") {
        let node = Node()
        node.strong = node
        let part = Node()
        node.other = part
        part.weak = node
        kept.append(part)
        return node
      },
      Shape("a weak reference outside to an object that only the cycle holds") {
        let node = Node()
        node.strong = node
        let part = Node()
        node.other = part
        part.weak = node
        kept.append(Weak(part))
        return node
      },
      Shape("weak references inside and outside") {
        let node = Node()
        node.strong = node
        node.weak = node
        kept.append(Weak(node))
        return node
      },
      Shape("a strong reference outside") {
        let node = Node()
        node.strong = node
        kept.append(node)
        return node
      },
      Shape("memory whose value has been moved to elsewhere") {
        let node = Node()
        node.memory.initialize(to: node)
        kept.append(node.memory.move())
        return node
      },
      Shape("memory that code elsewhere knows as well") {
        let node = Node()
        node.memory.initialize(to: node)
        kept.append(node.memory)
        return node
      },
      // Whether an unowned reference is counted cannot be read from memory.
      Shape("an unowned reference inside the cycle") {
        let node = Node()
        node.strong = node
        node.unowned = node
        return node
      },
    ]

    @Test(arguments: closed)
    private func `what nothing outside can reach is held for good`(shape: Shape) {
      #expect(isHeldForGood(shape))
    }

    @Test(arguments: open)
    private func `what code outside may still release is not held for good`(shape: Shape) {
      #expect(!isHeldForGood(shape))
    }

    private func isHeldForGood(_ shape: Shape) -> Bool {
      defer { kept.removeAll() }
      let address = shape.make()
      let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
        RetainPathSearch.Variable(name: "", isOfSwift: true)
      }
      let isHeld = !search.heldForGood([address], watched: []).isEmpty
      Unmanaged<Node>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).takeUnretainedValue()
        .clear()
      return isHeld
    }
  }

  /// A way in which an object holds itself.
  private struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let build: @Sendable () -> Node

    init(_ name: String, build: @escaping @Sendable () -> Node) {
      testDescription = name
      self.build = build
    }

    /// Builds the object and returns its address. Not inlined: the caller would hold the object.
    @inline(never) func make() -> UInt {
      let node = build()
      return UInt(bitPattern: Unmanaged.passUnretained(node).toOpaque())
    }
  }

  /// What the test itself holds. The tests run one after another.
  private nonisolated(unsafe) var kept: [Any] = []

  private protocol Delegate: AnyObject {}

  private final class Node: Delegate {
    var strong: Node?
    var other: AnyObject?
    weak var weak: Node?
    unowned var unowned: Node?
    var action: (() -> Void)?
    var list: [Weak] = []
    var table: [String: Weak] = [:]
    var block: (@convention(block) () -> Void)?
    var item: DispatchWorkItem?
    let memory = UnsafeMutablePointer<Node>.allocate(capacity: 1)

    func clear() {
      strong?.strong = nil
      strong = nil
      block = nil
      item = nil
    }
  }

  private final class Holder {
    let block: @convention(block) () -> Void

    init(_ block: @escaping @convention(block) () -> Void) { self.block = block }
  }

  @inline(never)
  private func block(holding node: Node) -> @convention(block) () -> Void {
    { withExtendedLifetime(node) {} }
  }

  private final class Part {
    weak var delegate: (any Delegate)?
  }

  private struct Weak {
    weak var node: Node?

    init(_ node: Node) { self.node = node }
  }
#endif
