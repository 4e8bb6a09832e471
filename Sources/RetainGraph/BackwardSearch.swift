#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// Finds the holders of an object, direct and indirect, when no path from a root reaches to it.
  ///
  /// Searches backward from the object, one level of holders at a time.
  struct BackwardSearch {
    /// The result.
    enum Finding {
      /// Objects in a retain cycle hold the object: the path from one of them, and its path back to
      /// itself.
      case cycle(path: [sleepless_step], cycle: [sleepless_step])
      /// The path from an object without a visible holder.
      case end(path: [sleepless_step])
      /// No holder is visible.
      case noHolder
    }

    /// The largest number of levels, and of holders per level.
    private static let depth = 8
    private static let width = 16

    let finding: Finding
    /// Whether the search of all memory gave up, or there are more holders than `width`.
    private(set) var gaveUp = false

    init(of object: UInt, in walk: HeapWalk) {
      var known: [UInt: sleepless_step] = [:]
      var level = [object]
      var last: UInt?
      for _ in 0..<Self.depth {
        let (steps, isComplete) = walk.holders(of: level)
        if !isComplete { gaveUp = true }
        level = []
        for step in steps where known[step.holder] == nil && step.holder != object {
          known[step.holder] = step
          level.append(step.holder)
        }
        if level.count > Self.width { gaveUp = true }
        level = Array(level.prefix(Self.width))
        for holder in level {
          if case .path(let cycle) = walk.cycle(through: holder), !Self.isOperation(in: cycle) {
            finding = .cycle(path: Self.path(from: holder, to: object, known), cycle: cycle)
            return
          }
        }
        guard let first = level.first else { break }
        last = first
        // If the memory is too large for one search, the next level would give up too.
        if gaveUp { break }
      }
      finding = last.map { .end(path: Self.path(from: $0, to: object, known)) } ?? .noHolder
    }

    /// Whether a cycle is that of an operation and its work item, which Foundation breaks when the operation has run.
    private static func isOperation(in cycle: [sleepless_step]) -> Bool {
      cycle.contains {
        isObject($0.holder, of: "Operation") && isObject($0.held, of: "DispatchWorkItem")
      }
    }

    private static func isObject(_ address: UInt, of className: String) -> Bool {
      guard case .object(let type) = HeapObject(address)?.kind else { return false }
      return sequence(first: type) { $0.parent }.contains { $0.baseName == className }
    }

    private static func path(
      from holder: UInt, to object: UInt, _ known: [UInt: sleepless_step]
    ) -> [sleepless_step] {
      var path: [sleepless_step] = []
      var current = holder
      while current != object, let step = known[current] {
        path.append(step)
        current = step.held
      }
      return path
    }
  }
#endif
