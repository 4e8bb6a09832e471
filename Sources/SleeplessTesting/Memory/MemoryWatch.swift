import RetainGraph
import Sleepless
import SleeplessSimulation
import Testing
import VirtualTime

/// The objects of a test that must be released when it ends, checked together.
///
/// Each test has one, made with its first object. A watched object costs a lock and some memory until
/// the end. Only a failure costs the search for what holds the object.
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

  // MARK: Watching

  private struct Weak {
    weak var watch: MemoryWatch?
  }

  private static let watches = Locked<[ObjectIdentifier: Weak]>([:])

  /// Watches the objects in values until the end of the calling test; fails if there are none, if one is no object
  /// or if the end is unknown.
  static func watch(_ values: [Any?], in call: String, at site: CallSite) {
    let refusals = WatchedObject.Candidate.all(in: values, of: call).compactMap { candidate in
      switch candidate {
      case .nothing(let text): text
      case .object(let object): watch(object, in: call, at: site)
      }
    }
    guard !refusals.isEmpty else { return }
    let reporter = Reporter(at: site)
    for refusal in refusals { reporter.fail(refusal) }
  }

  /// Watches an object; the reason if it cannot be watched.
  private static func watch(_ object: AnyObject, in call: String, at site: CallSite) -> String? {
    let type: AnyClass = Swift.type(of: object)
    let watched = WatchedObject(reference: ObjectReference(object), type: type, site: site)
    if watched.reference.isGone { return alreadyGoing(watched.name, call) }
    if watched.reference.isImmortal { return immortal(watched.name, call) }
    guard let end = EndOfTest.ofCurrentTest else { return noEnd(watched.name, call) }
    let key = ObjectIdentifier(end)
    if let known = watches.withLock({ $0[key]?.watch }) {
      return known.add(watched) ? nil : tooLate(watched.name, call)
    }
    let watch = MemoryWatch(Reporter(at: site))
    let isFirst = watches.withLock { watches in
      if watches[key]?.watch != nil { return false }
      watches = watches.filter { $0.value.watch != nil }
      watches[key] = Weak(watch: watch)
      return true
    }
    // Another thread of the test may have made one at the same time.
    guard isFirst else { return self.watch(object, in: call, at: site) }
    _ = watch.add(watched)
    let isInTime = end.add(
      rest: watch.isAnyAlive ? .whole : .none,
      settling: EndOfTest.Settling({ await watch.settle() }, here: { watch.settleHere() })
    ) { rest in watch.judge(rest) }
    guard isInTime else {
      watch.state.withLock { $0.isJudged = true }
      return tooLate(watched.name, call)
    }
    return nil
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

  /// Waits for the objects that may still be released.
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

  /// The condition that ends the wait, and its timeout; nil if each object is gone or can never be
  /// released.
  static func whatToWaitFor(
    _ references: [ObjectReference]
  ) -> (isOver: @Sendable () -> Bool, Duration)? {
    let watched = references.map(\.address)
    let waiting = RetainPathSearch.inThisTest { search in
      let alive = references.filter { !$0.isGone }
      let heldForGood = search.heldForGood(alive.map(\.address), watched: watched)
      return alive.filter { !heldForGood.contains($0.address) }
    }
    guard !waiting.isEmpty else { return nil }
    return ({ waiting.allSatisfy { $0.isGone } }, HangTimeout.interval)
  }

  /// Fails for the objects that are still alive.
  private func judge(_ rest: EndOfTest.Rest) {
    state.withLock { $0.isJudged = true }
    RetainPathSearch.inThisTest { search in
      search.judge(alive, rest: rest) { reporter.tellLeftover($0, at: $1.site) }
    }
  }
}

extension EndOfTest {
  /// The end of the calling test, if something knows when it comes.
  static var ofCurrentTest: EndOfTest? {
    if let current { return current }
    return Test.current == nil ? XCTestProgress.shared.running?.endOfTest : nil
  }
}
