import CHeapWalk
import Sleepless

/// Finds the references that keep an object alive.
///
/// The search does not depend on tests or simulations: its caller provides the roots of paths.
package struct RetainPathSearch {
  /// After so many steps a search gives up. A step finds an object, or reads sixteen elements of a collection or a page
  /// of memory. Tests of a search that gives up lower it.
  @TaskLocal package static var stepLimit = 2_000_000

  /// After so many words in the program's data that are no variables of Swift code no variable is looked for.
  private static let wordLimit = 8

  /// A task that has not ended. It may hold objects in its suspended functions.
  package struct Task: Sendable {
    let address: UInt
    /// The task's name in paths.
    let name: String
    /// Names the task's functions; called during the search, and only if a path begins in the task.
    let place: @Sendable () -> String

    package init(address: UInt, name: String, place: @escaping @Sendable () -> String) {
      self.address = address
      self.name = name
      self.place = place
    }
  }

  /// A part of the program's data.
  package struct Variable: Sendable {
    /// Its name in paths.
    let name: String
    /// Whether it is known as a variable of Swift code. Other words in the program's data may be left over, or retain
    /// nothing.
    let isOfSwift: Bool

    package init(name: String, isOfSwift: Bool) {
      self.name = name
      self.isOfSwift = isOfSwift
    }
  }

  /// A path of references, as text.
  package struct Path: Equatable, Sendable, CustomStringConvertible {
    let text: String
    /// Whether a step may be no reference: it lies in memory whose layout is unknown.
    let isGuess: Bool

    package var description: String {
      guard isGuess else { return text }
      return "\(text)\n  A guess: a part of this path lies in memory whose layout is unknown."
    }
  }

  /// The holder of the object, as far as the search can tell.
  package enum Holder: Equatable, Sendable {
    /// The object is part of a retain cycle.
    case itself(path: Path)
    /// A task of the test that has not ended.
    case task(path: Path, place: String)
    /// The test case, which lives as long as the process.
    case testCase(path: Path)
    /// A static property or a global variable.
    case program(path: Path)
    /// A value that a live thread keeps with `pthread_setspecific`.
    case thread(path: Path)
    /// An object that the whole program shares, such as the notification center.
    case shared(path: Path)
    /// Other objects, which are in a retain cycle.
    case others(path: Path, cycle: Path)
    /// No visible holder, or holders that no root reaches.
    case elsewhere(path: Path?, references: Int, searched: [String])
    /// The search does not support this system, or this runtime: `missing` says what does not hold.
    case unknown(missing: String?)

    /// Whether no part of it is a guess. A word that another thread has just written may look like objects that hold
    /// each other.
    var isCertain: Bool {
      switch self {
      case .itself(let path), .task(let path, _), .testCase(let path): !path.isGuess
      case .program(let path), .thread(let path), .shared(let path): !path.isGuess
      case .others: false
      case .elsewhere(let path, _, _): path?.isGuess != true
      case .unknown: true
      }
    }
  }

  private let tasks: [Task]
  private let areTasksAtRest: Bool
  private let testCase: UInt?
  private let variable: @Sendable (_ address: UInt) -> Variable

  /// - Parameters:
  ///   - tasks: The unfinished tasks in which paths may begin.
  ///   - areTasksAtRest: Whether none of these tasks will run again.
  ///   - testCase: An object that lives as long as the process.
  ///   - variable: The program's variable at an address.
  package init(
    tasks: [Task], areTasksAtRest: Bool, testCase: UInt?,
    variable: @escaping @Sendable (_ address: UInt) -> Variable
  ) {
    self.tasks = tasks
    self.areTasksAtRest = areTasksAtRest
    self.testCase = testCase
    self.variable = variable
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
    /// The first fact that searches rely on and that does not hold, as the end of a sentence; nil if all hold.
    package static var obstacle: String? { HeapProbe.obstacle }

    /// Whether thread-specific values are searched.
    package static var findsThreadValues: Bool { HeapProbe.findsThreadValues }

    /// Whether a search reads memory as it was at one moment. Otherwise other threads change it meanwhile.
    package static var readsOneMoment: Bool { HeapProbe.allHold && HeapWalk.hasSnapshots }

    /// The ones of `objects` that no code can release any more, so waiting for them is useless. `watched` are the
    /// objects to which the calling check has one weak or unowned reference each.
    package func heldForGood(_ objects: [UInt], watched: [UInt]) -> Set<UInt> {
      guard HeapProbe.allHold, !objects.isEmpty else { return [] }
      let (held, isOfOneMoment) = HeapWalk.run { walk in
        (heldForGood(objects, watched: watched, in: walk), walk.readsOneMoment)
      }
      if isOfOneMoment || held.isEmpty { return held }
      // Without a snapshot a search may miss a reference that another thread moves meanwhile. Two seldom both do.
      return HeapWalk.run { heldForGood(Array(held), watched: watched, in: $0) }
    }

    private func heldForGood(
      _ objects: [UInt], watched: [UInt], in walk: HeapWalk
    ) -> Set<UInt> {
      Set(
        objects.filter { object in
          if areTasksAtRest {
            var tasks = TaskPaths(in: walk, from: taskRoots)
            if case .path = tasks.path(to: object) { return true }
          }
          if let testCase, case .path = walk.find(object, from: [root(testCase)]) { return true }
          return walk.isClosed(around: object, watched: watched)
        })
    }

    /// Searches by known layout first, then by guesses from the object and from shared objects. A word in the program's
    /// data that is no variable of Swift code counts only after these, and a guess from a task last.
    package func holder(of object: UInt) -> Holder {
      guard HeapProbe.allHold else { return .unknown(missing: HeapProbe.obstacle) }
      let holder = look(for: object)
      // Also in a snapshot, memory that another thread has just got for an object may still have words of what was
      // there before. Without one, a word may be copied later than what it seems to be part of. The same mistake seldom
      // happens twice, so a guess is made again, and so are holders that hold each other looked for again.
      return holder.isCertain ? holder : look(for: object)
    }

    private func look(for object: UInt) -> Holder {
      // An object that is made by this must be in the snapshot.
      _ = SharedObject.all
      return HeapWalk.run { walk in holder(of: object, in: walk) }
    }

    private func holder(of object: UInt, in walk: HeapWalk) -> Holder {
      var searched: [String] = []
      var tasks = TaskPaths(in: walk, from: taskRoots)
      var word: Holder?
      if let known = knownHolder(of: object, in: walk, &tasks, &word, &searched) { return known }
      if let guess = guessedOwner(of: object, in: walk, &searched) ?? word { return guess }
      let holders = BackwardSearch(of: object, in: walk)
      searched.append(holders.gaveUp ? "all memory (given up)" : "all memory")
      if case .cycle(let steps, let cycle) = holders.finding {
        return .others(
          path: path(steps, to: object), cycle: path(cycle, to: cycle[0].holder))
      }
      let known: [sleepless_step] = if case .end(let steps) = holders.finding { steps } else { [] }
      if let steps = tasks.guessedPath(to: object, besides: known) {
        return task(steps, to: object, isGuess: true)
      }
      return .elsewhere(
        path: known.isEmpty ? nil : path(known, to: object),
        references: Int(sleepless_strong_count(object)), searched: searched)
    }

    /// The holder, if a path of references leads from it.
    ///
    /// A word in the program's data that is no variable of Swift code is put into `word`.
    private func knownHolder(
      of object: UInt, in walk: HeapWalk, _ paths: inout TaskPaths, _ word: inout Holder?,
      _ searched: inout [String]
    ) -> Holder? {
      if let steps = steps(walk.cycle(through: object), "the object itself", &searched) {
        return .itself(path: path(steps, to: object))
      }
      if let testCase {
        let finding = walk.find(object, from: [root(testCase)])
        if let steps = steps(finding, "the test case's properties", &searched) {
          return .testCase(path: path(steps, to: object))
        }
      }
      if let known = variable(holding: object, in: walk, &word, &searched) { return known }
      if let known = threadValue(holding: object, in: walk, &searched) { return known }
      guard !tasks.isEmpty else { return nil }
      let what = tasks.count == 1 ? "1 unfinished task" : "\(tasks.count) unfinished tasks"
      return steps(paths.path(to: object), what, &searched).map {
        task($0, to: object, isGuess: false)
      }
    }

    /// A variable of Swift code, if a path of references leads from it. Another word in the program's data from which
    /// one leads is put into `word`.
    private func variable(
      holding object: UInt, in walk: HeapWalk, _ word: inout Holder?, _ searched: inout [String]
    ) -> Holder? {
      var roots = HeapWalk.dataSegments
      for _ in 0..<Self.wordLimit {
        let finding = walk.find(object, from: roots)
        var searchedHere: [String] = []
        let what = "static properties and global variables"
        guard let steps = steps(finding, what, &searchedHere) else {
          if word == nil { searched += searchedHere }
          return nil
        }
        let address = steps[0].holder + UInt(steps[0].offset)
        let variable = variable(address)
        let holder = Holder.program(
          path: path(
            steps, to: object, from: .variable(variable.name), isGuess: !variable.isOfSwift))
        if variable.isOfSwift { return holder }
        word = word ?? holder
        // A path from such a word may be shorter than one from a variable, and hide it.
        roots = roots.flatMap { $0.parts(without: address) }
      }
      return nil
    }

    /// A thread, if a path of references leads from one of its values. The value may be a pointer that retains
    /// nothing: if as many other references are found as the runtime counts, it does not hold the object, and the next
    /// value is tried. If the search for them gives up, the path is a guess.
    private func threadValue(
      holding object: UInt, in walk: HeapWalk, _ searched: inout [String]
    ) -> Holder? {
      guard HeapProbe.findsThreadValues else { return nil }
      let values = ThreadValues()
      var roots = values.roots
      while true {
        let finding = walk.find(object, from: roots)
        guard let steps = steps(finding, "thread-specific values", &searched) else { return nil }
        let isRefuted = walk.isRefuted(steps)
        guard isRefuted == true else {
          let thread = values.thread(at: steps[0].holder)
          return .thread(
            path: path(steps, to: object, from: .other(thread), isGuess: isRefuted == nil))
        }
        roots.removeAll { $0.address == steps[0].holder }
      }
    }

    /// The object itself or a shared object, if references or words that look like them lead from it. The search by
    /// known layout may have been given up where this one ends, so a path is a guess only if a step is one.
    private func guessedOwner(
      of object: UInt, in walk: HeapWalk, _ searched: inout [String]
    ) -> Holder? {
      if case .path(let steps) = walk.cycle(through: object, sleepless_conservative) {
        return .itself(path: path(steps, to: object))
      }
      for shared in SharedObject.all {
        let finding = walk.find(object, from: [root(shared.address)], sleepless_conservative)
        if let steps = steps(finding, shared.name, &searched) {
          return .shared(path: path(steps, to: object, from: .other(shared.name), isGuess: true))
        }
      }
      if case .path(let steps) = walk.cycle(through: object, sleepless_conservative_into_hubs) {
        return .itself(path: path(steps, to: object))
      }
      return nil
    }

    /// The steps of a path; nil if there is none, which is noted in `searched`.
    private func steps(
      _ finding: HeapWalk.Finding, _ what: String, _ searched: inout [String]
    ) -> [sleepless_step]? {
      switch finding {
      case .path(let steps): return steps
      case .nothing(let objects): searched.append("\(what) (\(count(objects)))")
      case .gaveUp(let objects):
        searched.append("\(what) (given up after \(count(objects)))")
      }
      return nil
    }

    private func task(_ steps: [sleepless_step], to object: UInt, isGuess: Bool) -> Holder {
      let task = tasks.first { $0.address == steps[0].holder } ?? tasks[0]
      return .task(
        path: path(steps, to: object, from: .other(task.name), isGuess: isGuess),
        place: task.place())
    }

    private func path(
      _ steps: [sleepless_step], to object: UInt, from root: PathText.Root? = nil,
      isGuess: Bool? = nil
    ) -> Path {
      Path(
        text: PathText.text(of: steps, to: object, root: root),
        isGuess: isGuess ?? steps.contains(where: \.is_guess))
    }

    /// The ones of `objects` that are in a retain cycle with an object that holds itself.
    package func cycle(_ holder: Holder, through object: UInt, among objects: [UInt]) -> Set<UInt> {
      guard case .itself(let path) = holder, !objects.isEmpty else { return [] }
      return HeapWalk.run {
        $0.objects(
          inCycleWith: object, among: objects,
          path.isGuess ? sleepless_conservative_into_hubs : sleepless_precise)
      }
    }

    private func root(_ address: UInt) -> sleepless_root {
      sleepless_root(address: address, size: 0)
    }

    private var taskRoots: [sleepless_root] { tasks.map { root($0.address) } }

    private func count(_ objects: Int) -> String {
      objects == 1 ? "1 object" : "\(objects) objects"
    }
  #else
    package static var obstacle: String? { nil }
    package static var findsThreadValues: Bool { false }
    package static var readsOneMoment: Bool { false }
    package func heldForGood(_ objects: [UInt], watched: [UInt]) -> Set<UInt> { [] }
    package func holder(of object: UInt) -> Holder { .unknown(missing: nil) }
    package func cycle(_ holder: Holder, through object: UInt, among objects: [UInt]) -> Set<UInt> {
      []
    }
  #endif
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  extension sleepless_root {
    /// The memory before and after a word.
    fileprivate func parts(without word: UInt) -> [sleepless_root] {
      let end = address + UInt(size)
      guard word >= address, word < end else { return [self] }
      let parts = [
        sleepless_root(address: address, size: Int(word - address)),
        sleepless_root(address: word + 8, size: word + 8 < end ? Int(end - word - 8) : 0),
      ]
      return parts.filter { $0.size > 0 }
    }
  }
#endif
