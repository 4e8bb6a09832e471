#if os(Linux) && _pointerBitWidth(_64)
  import CHeapWalk

  /// Those who hold an object, directly or not, though no way leads to them from where searches begin.
  ///
  /// Goes back from the object, a level of holders at a time.
  struct BackwardSearch {
    /// How they hang together, as far as one can see.
    enum Finding {
      /// Objects that hold each other hold it: the way from one of them, and from it back to itself.
      case cycle(path: [sleepless_step], cycle: [sleepless_step])
      /// The way from one that nobody is seen to hold.
      case end(path: [sleepless_step])
      case nobody
    }

    /// How far, and how many on the way, at most.
    private static let depth = 8
    private static let width = 16

    let finding: Finding
    /// Whether there was no time to look through all memory, or there are too many.
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
          if case .path(let cycle) = walk.cycle(through: holder) {
            finding = .cycle(path: Self.path(from: holder, to: object, known), cycle: cycle)
            return
          }
        }
        guard let first = level.first else { break }
        last = first
        // Whoever finds a part of memory too large for its time need not look again.
        if gaveUp { break }
      }
      finding = last.map { .end(path: Self.path(from: $0, to: object, known)) } ?? .nobody
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
