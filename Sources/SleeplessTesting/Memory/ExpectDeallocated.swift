#if canImport(ObjectiveC)
  import ObjectiveC
#endif
import RetainGraph
import Sleepless

/// Builds, exercises and releases an object in one place, and fails there if it is still alive.
///
/// ```swift
/// await expectDeallocated {
///   let model = ProfileViewModel(service: service)
///   await model.load()
///   return model
/// }
/// ```
///
/// It watches the closure's result: an object, or several in optionals, arrays, sets and tuples, nested ones too.
/// Objects of one retain cycle are one failure. When the closure has returned, the test itself no longer holds the
/// object. If the object is still alive, the test's tasks come to rest first. Then it waits up to 10 s (see
/// <doc:WaitingForEvents>) for the release, unless it is certain that nothing can release the object. The failure says
/// what holds it. It needs no trait. A closure that returns no object, or nil beside objects, fails the test, since
/// nothing is watched there.
public func expectDeallocated<Object>(
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ make: () async throws -> Object
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let release = Release(at: site)
  try await release.watch(isolation: isolation, make)
  await release.settleAndJudge()
}

/// Builds, exercises and releases an object in one place, and fails there if it is still alive.
///
/// Like the form whose closure is asynchronous.
///
/// ```swift
/// await expectDeallocated {
///   let player = Player()
///   let playlist = Playlist()
///   player.play(playlist)
///   return (player, playlist)  // both are watched
/// }
/// ```
public func expectDeallocated<Object>(
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ make: () throws -> Object
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let release = Release(at: site)
  try release.watch(make)
  await release.settleAndJudge()
}

/// Builds, exercises and releases an object in one place, and fails there if it is still alive.
///
/// Like the form with `await`, for synchronous tests. On the main thread it serves the run loop while it
/// waits.
///
/// ```swift
/// expectDeallocated {
///   let player = Player()
///   player.play(Playlist())
///   return player
/// }  // fails if something still holds the player
/// ```
public func expectDeallocated<Object>(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ make: () throws -> Object
) rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let release = Release(at: site)
  try release.watch(make)
  release.settleAndJudge()
}

/// The objects that one call of `expectDeallocated` watches.
private final class Release: Sendable {
  private let reporter: Reporter
  private let objects = Locked<[WatchedObject]>([])

  init(at site: CallSite) { reporter = Reporter(at: site) }

  // In functions of their own, so that their stack frames, which may hold the object, are gone when they
  // return.

  @inline(never)
  func watch<Object>(
    isolation: isolated (any Actor)?, _ make: () async throws -> Object
  ) async rethrows { watch(try await make()) }

  @inline(never)
  func watch<Object>(_ make: () throws -> Object) rethrows {
    #if canImport(ObjectiveC)
      // What Objective-C has autoreleased would otherwise live until the test's function returns.
      try autoreleasepool { watch(try make()) }
    #else
      watch(try make())
    #endif
  }

  @inline(never)
  private func watch(_ value: Any) {
    for candidate in WatchedObject.Candidate.all(in: [value], of: "expectDeallocated") {
      switch candidate {
      case .nothing(let text): reporter.fail(text)
      case .object(let object):
        let watched = WatchedObject(
          reference: ObjectReference(object), type: type(of: object), site: reporter.site)
        if watched.reference.isImmortal {
          reporter.fail(MemoryWatch.immortal(watched.name, "expectDeallocated"))
        } else {
          objects.withLock { $0.append(watched) }
        }
      }
    }
  }

  private var alive: [WatchedObject] {
    objects.withLock { $0.map { $0 } }.filter { !$0.reference.isGone }
  }

  func settleAndJudge() async {
    guard !alive.isEmpty else { return }
    let rest = await EndOfTest.Rest.reached()
    if let (isOver, timeout) = MemoryWatch.whatToWaitFor(alive.map(\.reference)) {
      await ReleaseWatch.shared.wait(until: isOver, timeout: timeout)
    }
    judge(rest)
  }

  func settleAndJudge() {
    guard !alive.isEmpty else { return }
    let rest = EndOfTest.Rest.reachedHere()
    if let (isOver, timeout) = MemoryWatch.whatToWaitFor(alive.map(\.reference)) {
      ReleaseWatch.shared.waitHere(until: isOver, timeout: timeout)
    }
    judge(rest)
  }

  private func judge(_ rest: EndOfTest.Rest) {
    RetainPathSearch.inThisTest { search in
      search.judge(alive, rest: rest) { text, _ in reporter.fail(text) }
    }
  }
}
