#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// Finds paths from tasks to an object.
  ///
  /// The layout of a task's frames is unknown. A word in them may be left over from a function that has returned.
  /// Such a word retains nothing, even if it is the address of a live object. So where a path begins at a word in
  /// the frames, the search counts the other references to that object. If they are as many as the runtime counts,
  /// the word is not a reference.
  struct TaskPaths {
    /// The largest number of words that one search excludes.
    private static let limit = 8

    let walk: HeapWalk
    let roots: [sleepless_root]
    /// The objects that words in the tasks' frames lead to, but do not hold.
    private(set) var notHeldByFrames: [UInt] = []

    init(in walk: HeapWalk, from roots: [sleepless_root]) {
      self.walk = walk
      self.roots = roots
    }

    /// The shortest path, by what is known of the layout of memory after the frames.
    mutating func path(to object: UInt) -> HeapWalk.Finding {
      var shortest: [sleepless_step]?
      while true {
        let finding = walk.find(object, from: roots, notHeldByFrames: notHeldByFrames)
        guard case .path(let path) = finding else { return finding }
        let first = shortest ?? path
        shortest = first
        let held = Self.firstObject(of: path)
        guard notHeldByFrames.count < Self.limit, hasOtherHolders(held, onPathsTo: object) else {
          // The frames may also have the address of an object that the same task holds by a longer path.
          return .path(path[0].holder == first[0].holder ? first : path)
        }
        notHeldByFrames.append(held)
      }
    }

    /// The path by guesses, if there is one.
    func guessedPath(to object: UInt) -> [sleepless_step]? {
      let finding = walk.find(
        object, from: roots, sleepless_conservative, notHeldByFrames: notHeldByFrames)
      guard case .path(let steps) = finding, !walk.isRefuted(steps) else { return nil }
      return steps
    }

    /// The first object of a path from a task. Before it are only the task's frames.
    private static func firstObject(of path: [sleepless_step]) -> UInt {
      zip(path, path.dropFirst()).first { !$1.is_memory }?.0.held ?? path[path.count - 1].held
    }

    /// Whether references other than those of frames are all that the runtime counts.
    private func hasOtherHolders(_ held: UInt, onPathsTo object: UInt) -> Bool {
      let count = Int(sleepless_strong_count(held))
      let holders = walk.holders(of: [held])
      guard count > 0, holders.isComplete else { return false }
      var others = Set(holders.steps.lazy.filter { !$0.is_guess }.map(\.holder))
      if case .path(let cycle) = walk.cycle(through: object, sleepless_conservative_into_hubs) {
        others.formUnion(cycle.lazy.filter { $0.held == held }.map(\.holder))
      }
      return others.count >= count
    }
  }
#endif
