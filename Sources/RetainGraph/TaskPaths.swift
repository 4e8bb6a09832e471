#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// Finds paths from tasks to an object.
  ///
  /// The layout of a task's frames is unknown. A word in them may be left over from a function that has returned. Such
  /// a word retains nothing, even if it is the address of a live object. So where a path begins at a word in the
  /// frames, the search counts the other holders of that object. If they are as many as the references that the runtime
  /// counts, the word is not a reference.
  struct TaskPaths {
    /// After so many objects that the frames do not hold, or may not hold, the search gives up.
    private static let limit = 8

    /// The largest number of guesses behind a task's frames. With more of them almost any object leads to any other,
    /// through the memory of Dispatch and of run loops.
    private static let guessLimit = 3

    /// What a word in a task's frames is, as far as other references tell.
    private enum Word {
      /// The runtime counts more references than there are others.
      case reference
      /// There are enough others, but some of them are in memory of unknown content, and may be no references. Or the
      /// search for others gave up.
      case unclear
      /// The others are all that the runtime counts.
      case leftOver
    }

    let walk: HeapWalk
    let roots: [sleepless_root]
    /// The objects that words in the tasks' frames lead to, but do not hold.
    private(set) var notHeldByFrames: [UInt] = []

    init(in walk: HeapWalk, from roots: [sleepless_root]) {
      self.walk = walk
      self.roots = roots
    }

    /// The shortest path that guesses nothing but the words in the frames.
    mutating func path(to object: UInt) -> HeapWalk.Finding {
      var shortest: [sleepless_step]?
      var unclear: [UInt] = []
      while true {
        let finding = walk.find(
          object, from: roots, notHeldByFrames: notHeldByFrames + unclear)
        guard case .path(let path) = finding else { return finding }
        let first = shortest ?? path
        shortest = first
        let held = Self.firstObject(of: path)
        switch word(to: held, onPathsTo: object) {
        case .reference:
          // The frames may also have the address of an object that the same task holds by a longer path.
          let isSame = path[0].holder == first[0].holder && Self.hasFirstObject(of: first, path)
          return .path(isSame ? first : path)
        case .unclear: unclear.append(held)
        case .leftOver: notHeldByFrames.append(held)
        }
        let excluded = notHeldByFrames.count + unclear.count
        if excluded == Self.limit { return .gaveUp(objects: excluded) }
      }
    }

    /// A path with at most `guessLimit` guesses; nil if an object that a guess leads to has another, certain holder.
    ///
    /// `known` is another path to the object. If there is one, the search for other holders must not have given up.
    func guessedPath(to object: UInt, besides known: [sleepless_step]) -> [sleepless_step]? {
      let finding = walk.find(
        object, from: roots, sleepless_conservative, notHeldByFrames: notHeldByFrames)
      guard case .path(let steps) = finding, Self.guesses(on: steps) <= Self.guessLimit
      else { return nil }
      let isHeldByKnown = steps.contains { guess in
        guess.is_guess
          && known.contains {
            !$0.is_guess && $0.held == guess.held && $0.holder != guess.holder
          }
      }
      let isHeldByOthers = isHeldByKnown || walk.hasOtherHolder(steps) ?? !known.isEmpty
      return isHeldByOthers ? nil : steps
    }

    /// How many steps of a path may be no reference, without the words in the task and in its frames.
    private static func guesses(on path: [sleepless_step]) -> Int {
      path.dropFirst().count { $0.is_guess && !$0.is_frames }
    }

    /// The first object of a path from a task. Before it are only the task's frames.
    private static func firstObject(of path: [sleepless_step]) -> UInt {
      zip(path, path.dropFirst()).first { !$1.is_memory }?.0.held ?? path[path.count - 1].held
    }

    /// Whether a path goes through the first object of another one.
    private static func hasFirstObject(of other: [sleepless_step], _ path: [sleepless_step]) -> Bool
    {
      let first = firstObject(of: other)
      return path.contains { $0.held == first }
    }

    /// What a word in the frames is that leads to `held`.
    private func word(to held: UInt, onPathsTo object: UInt) -> Word {
      let count = Int(sleepless_strong_count(held))
      let holders = walk.holders(of: [held], scansUnknown: true, upTo: HeapWalk.limit(for: [held]))
      guard count > 0 else { return .reference }
      guard holders.isComplete else { return .unclear }
      var certain = Set(holders.steps.lazy.filter { !$0.is_guess }.map(\.holder))
      if case .path(let cycle) = walk.cycle(through: object, sleepless_conservative_into_hubs) {
        certain.formUnion(cycle.lazy.filter { $0.held == held }.map(\.holder))
      }
      if certain.count >= count { return .leftOver }
      return certain.union(holders.steps.map(\.holder)).count >= count ? .unclear : .reference
    }
  }
#endif
