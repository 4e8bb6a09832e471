#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk
  import CRuntimeHooks
  import Sleepless

  /// Finds the shortest path of references from one object to another, in a snapshot of the process's memory.
  ///
  /// One walk runs at a time, while the snapshot is valid. Where the system supports none, pages are copied while other
  /// threads keep running, so the copies may come from different moments. A result is only a hint until the object is
  /// seen to be alive afterwards.
  package struct HeapWalk {
    enum Finding {
      case path([sleepless_step])
      case nothing(objects: Int)
      /// The search took all of its steps.
      case gaveUp(objects: Int)
    }

    private static let turn = Locked(())

    /// Whether this process can take snapshots of its memory.
    static let hasSnapshots = sleepless_note_fact(
      sleepless_fact_memory_snapshots, sleepless_sample_snapshot())

    /// Whether the memory is that of one moment.
    let readsOneMoment: Bool

    /// Runs searches on a snapshot of the memory that is taken now, or on the memory as it is; one caller at a time.
    package static func run<Result: Sendable>(
      onSnapshot: Bool = true, _ body: (HeapWalk) -> Result
    ) -> Result {
      turn.withLock { _ in
        let isTaken = onSnapshot && hasSnapshots && sleepless_take_snapshot()
        defer {
          sleepless_drop_snapshot()
          sleepless_drop_copies()
        }
        return body(HeapWalk(readsOneMoment: isTaken))
      }
    }

    /// The shortest path from the roots to an object. Words in the frames of tasks do not count if they lead to one
    /// of `notHeldByFrames`.
    func find(
      _ target: UInt, from roots: [sleepless_root],
      _ precision: sleepless_precision = sleepless_precise,
      notHeldByFrames: [UInt] = [],
      within stepLimit: Int = RetainPathSearch.stepLimit
    ) -> Finding {
      var steps = [sleepless_step](repeating: sleepless_step(), count: 256)
      var count = 0
      var objects = 0
      let finding = sleepless_find(
        Layouts.describe, roots, roots.count, target, precision, notHeldByFrames,
        notHeldByFrames.count, UInt64(stepLimit), &steps, steps.count, &count, &objects)
      switch finding {
      case sleepless_found: return .path(Array(steps.prefix(count)))
      case sleepless_gave_up: return .gaveUp(objects: objects)
      default: return .nothing(objects: objects)
      }
    }

    /// The path from an object back to itself.
    func cycle(
      through object: UInt, _ precision: sleepless_precision = sleepless_precise
    ) -> Finding {
      find(object, from: [sleepless_root(address: object, size: 0)], precision)
    }

    /// The ones of `objects` that are in a retain cycle with an object.
    func objects(
      inCycleWith object: UInt, among objects: [UInt], _ precision: sleepless_precision
    ) -> Set<UInt> {
      var isInCycle = [Bool](repeating: false, count: objects.count)
      sleepless_mark_cycle(
        Layouts.describe, object, precision, UInt64(RetainPathSearch.stepLimit), objects,
        objects.count, &isInCycle)
      return Set(zip(objects, isInCycle).lazy.filter(\.1).map(\.0))
    }

    /// The objects that hold one of the targets, found by a scan of all memory.
    ///
    /// With `scansUnknown` also the objects that may hold one, as guesses: their memory of unknown content includes
    /// its address. After `limit` holders the search gives up.
    func holders(
      of targets: [UInt], scansUnknown: Bool = false, upTo limit: Int = 64,
      within stepLimit: Int = RetainPathSearch.stepLimit
    ) -> (steps: [sleepless_step], isComplete: Bool) {
      var steps = [sleepless_step](repeating: sleepless_step(), count: limit)
      var count = 0
      let finding = sleepless_find_holders(
        Layouts.describe, targets, targets.count, scansUnknown, UInt64(stepLimit), &steps,
        steps.count, &count)
      return (Array(steps.prefix(count)), finding != sleepless_gave_up)
    }

    /// How many holders of objects a search must find to know all of them, unless there are very many.
    static func limit(for objects: [UInt]) -> Int {
      let counts = objects.map { Int(clamping: sleepless_strong_count($0)) }
      return counts.reduce(64) { min($0 + 4 * min($1, 1024), 4096) }
    }

    /// Whether no counted reference from elsewhere leads to the object; code with an unmanaged pointer could still
    /// release it.
    ///
    /// Its holders are held only by each other, and no weak or unowned reference leads to them, except for one to each
    /// of `watched` and weak ones of objects that only they hold.
    func isClosed(around object: UInt, watched: [UInt]) -> Bool {
      sleepless_is_closed(
        Layouts.describe, object, watched, watched.count, UInt64(RetainPathSearch.stepLimit))
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

    /// Copies the bytes of an object or a value; nil if they are not readable.
    static func bytes(at address: UInt, count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      return sleepless_read(address, &bytes, count) ? bytes : nil
    }

    static func word(at address: UInt) -> UInt? {
      var word: UInt = 0
      return sleepless_read(address, &word, 8) ? word : nil
    }
  }
#endif
