import RetainGraph
import Sleepless
import SleeplessSimulation
import Testing
import VirtualTime

/// The objects that ought to be gone when a test ends, judged all together.
///
/// One to a test, made with the first of them. What is watched costs a lock and some memory until the
/// end; the search for what holds an object costs only those who fail.
final class MemoryWatch: Sendable {
  private struct State {
    var objects: [WatchedObject] = []
    /// Whether the end of the test has come.
    var isJudged = false
  }

  private let reporter: Reporter
  private let state = Locked(State())

  private init(_ reporter: Reporter) { self.reporter = reporter }

  deinit {
    let (objects, isJudged) = state.withLock { ($0.objects.map { $0 }, $0.isJudged) }
    guard !isJudged, let first = objects.first else { return }
    reporter.fail(Self.neverReached(first.name), at: first.site)
  }

  // MARK: The test's

  private struct Weak {
    weak var watch: MemoryWatch?
  }

  private static let watches = Locked<[ObjectIdentifier: Weak]>([:])

  /// Watches a value until the end of the calling test; fails if there is nothing to watch, or no end.
  static func watch(_ value: Any?, in call: String, at site: CallSite) {
    switch WatchedObject.Candidate(value, in: call) {
    case .nothing(let text): Reporter(at: site).fail(text)
    case .object(let object): watch(object, in: call, at: site)
    }
  }

  private static func watch(_ object: AnyObject, in call: String, at site: CallSite) {
    let type: AnyClass = Swift.type(of: object)
    let watched = WatchedObject(reference: ObjectReference(object), type: type, site: site)
    if watched.reference.isGone {
      return Reporter(at: site).fail(alreadyGoing(watched.name, call))
    }
    if watched.reference.isImmortal { return Reporter(at: site).fail(immortal(watched.name, call)) }
    guard let end = EndOfTest.ofCurrentTest else {
      return Reporter(at: site).fail(noEnd(watched.name, call))
    }
    let key = ObjectIdentifier(end)
    if let known = watches.withLock({ $0[key]?.watch }) {
      if known.add(watched) { return }
      return Reporter(at: site).fail(tooLate(watched.name, call))
    }
    let watch = MemoryWatch(Reporter(at: site))
    let isFirst = watches.withLock { watches in
      if watches[key]?.watch != nil { return false }
      watches = watches.filter { $0.value.watch != nil }
      watches[key] = Weak(watch: watch)
      return true
    }
    // Another thread of the test may have been first.
    guard isFirst else { return self.watch(object, in: call, at: site) }
    _ = watch.add(watched)
    let isInTime = end.add(
      rest: watch.isAnyAlive ? .whole : .none,
      settling: EndOfTest.Settling({ await watch.settle() }, here: { watch.settleHere() })
    ) { rest in watch.judge(rest) }
    guard isInTime else {
      watch.state.withLock { $0.isJudged = true }
      return Reporter(at: site).fail(tooLate(watched.name, call))
    }
  }

  private func add(_ object: WatchedObject) -> Bool {
    state.withLock { state in
      if !state.isJudged { state.objects.append(object) }
      return !state.isJudged
    }
  }

  // MARK: The end

  private var alive: [WatchedObject] {
    state.withLock { $0.objects.map { $0 } }.filter { !$0.reference.isGone }
  }

  private var isAnyAlive: Bool { !alive.isEmpty }

  /// Waits for those whose holders might still let go.
  private func settle() async {
    guard let (isOver, timeout) = whatToWaitFor else { return }
    await ReleaseWatch.shared.wait(until: isOver, timeout: timeout)
  }

  private func settleHere() {
    guard let (isOver, timeout) = whatToWaitFor else { return }
    ReleaseWatch.shared.waitHere(until: isOver, timeout: timeout)
  }

  private var whatToWaitFor: (isOver: @Sendable () -> Bool, Duration)? {
    Self.whatToWaitFor(alive.map(\.reference))
  }

  /// When there is nothing to wait for any more, and how long that may take; nil if all of them are
  /// gone or held for good.
  static func whatToWaitFor(
    _ witnesses: [ObjectReference]
  ) -> (isOver: @Sendable () -> Bool, Duration)? {
    let search = RetainPathSearch()
    let watched = witnesses.map(\.address)
    let waiting = witnesses.filter {
      !$0.isGone && !search.isHeldForGood($0.address, watched: watched)
    }
    guard !waiting.isEmpty else { return nil }
    return ({ waiting.allSatisfy { $0.isGone } }, HangTimeout.interval)
  }

  /// Fails for each object that is still there.
  private func judge(_ rest: EndOfTest.Rest) {
    state.withLock { $0.isJudged = true }
    let search = RetainPathSearch()
    for object in alive {
      let text = search.text(about: object.name, at: object.reference.address, rest: rest)
      // The search takes a while.
      if !object.reference.isGone { reporter.tellLeftover(text, at: object.site) }
    }
  }
}

extension EndOfTest {
  /// The end of the calling test, if anything knows when it comes.
  static var ofCurrentTest: EndOfTest? {
    if let current { return current }
    return Test.current == nil ? XCTestProgress.shared.running?.endOfTest : nil
  }
}
