#if os(Linux) && _pointerBitWidth(_64)
  import CHeapWalk
  import Sleepless

  /// Looks for the shortest way from one object to another, through copies of the process's memory.
  ///
  /// One at a time, for as long as the copies are valid. Other threads go on meanwhile, so what it
  /// sees may be of different moments; nothing it finds is more than a hint before the object is seen
  /// to be alive afterwards.
  struct HeapWalk {
    enum Finding {
      case path([sleepless_step])
      case nothing(objects: Int)
      /// The time was up.
      case gaveUp(objects: Int)
    }

    /// How long one search may take.
    static var budget: Duration { RetainPathSearch.budget }

    private static let turn = Locked(())

    /// Runs searches while nobody else does, on memory as it is from now on.
    static func run<Result: Sendable>(_ body: (HeapWalk) -> Result) -> Result {
      turn.withLock { _ in
        defer { sleepless_forget_memory() }
        return body(HeapWalk())
      }
    }

    /// The shortest way from the roots to an object.
    func find(
      _ target: UInt, from roots: [sleepless_root], _ care: sleepless_care = sleepless_only_known,
      within budget: Duration = budget
    ) -> Finding {
      var steps = [sleepless_step](repeating: sleepless_step(), count: 256)
      var count = 0
      var objects = 0
      let finding = sleepless_find(
        Layouts.describe, roots, roots.count, target, care, UInt64(budget.nanoseconds), &steps,
        steps.count, &count, &objects)
      switch finding {
      case sleepless_found: return .path(Array(steps.prefix(count)))
      case sleepless_gave_up: return .gaveUp(objects: objects)
      default: return .nothing(objects: objects)
      }
    }

    /// The way from an object back to itself.
    func cycle(
      through object: UInt, _ care: sleepless_care = sleepless_only_known
    ) -> Finding {
      find(object, from: [sleepless_root(address: object, size: 0)], care)
    }

    /// The objects that hold one of these, wherever they are: found by looking through all memory.
    ///
    /// There is more of that than objects on a way, so it may take longer.
    func holders(of targets: [UInt], within budget: Duration = budget * 5) -> (
      steps: [sleepless_step], isComplete: Bool
    ) {
      var steps = [sleepless_step](repeating: sleepless_step(), count: 64)
      var count = 0
      let finding = sleepless_find_holders(
        Layouts.describe, targets, targets.count, UInt64(budget.nanoseconds), &steps, steps.count,
        &count)
      return (Array(steps.prefix(count)), finding != sleepless_gave_up)
    }

    /// Whether nothing but each other holds those that hold the object, and nobody can get at them by a
    /// weak or unowned reference, but for one to each of `watched`. Nobody can let go of it then.
    func isClosed(around object: UInt, watched: [UInt]) -> Bool {
      sleepless_is_closed(
        Layouts.describe, object, watched, watched.count, UInt64(Self.budget.nanoseconds))
        == sleepless_found
    }

    /// The memory of global variables and static properties.
    static let dataSegments: [sleepless_root] = {
      var segments: [sleepless_root] = []
      withUnsafeMutablePointer(to: &segments) { pointer in
        sleepless_each_data_segment(pointer) { context, address, size in
          context!.assumingMemoryBound(to: [sleepless_root].self).pointee
            .append(sleepless_root(address: address, size: size))
        }
      }
      return segments
    }()

    /// Reads an object's or a value's bytes; nil if they cannot be read.
    static func bytes(at address: UInt, count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      return sleepless_read(address, &bytes, count) ? bytes : nil
    }

    static func word(at address: UInt) -> UInt? {
      var word: UInt = 0
      return sleepless_read(address, &word, 8) ? word : nil
    }
  }

  extension Duration {
    fileprivate var nanoseconds: Int64 {
      components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
  }
#endif
