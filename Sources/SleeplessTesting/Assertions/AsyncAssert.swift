import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation

/// Lets what a synchronous test has started come to rest, then runs assertions once, on the main actor.
///
/// ```swift
/// func testNamesAreShown() {
///   let model = NamesList()
///   model.load()
///   asyncAssert("the names are shown") {
///     XCTAssertEqual(model.names, ["Ada", "Grace"])
///   }
/// }
/// ```
///
/// It waits for the same tasks as `settle`: those of the test and the tasks that they start, in virtual
/// time in a ``SimulatedTestCase``. It waits no longer than they take. If they do not come to rest the
/// test fails at this line when the hang timeout ends, with a list of the tasks still running; the
/// assertions do not run. A failed assertion fails at its own line.
///
/// Where tasks cannot be followed it tries the assertions again until they hold, as the asynchronous form does.
///
/// On the main thread it serves the run loop meanwhile, so that the main actor can run. A synchronous
/// Swift Testing test would block one of the few threads that all tasks share, and must not be isolated
/// to the main actor: make it async and write await.
/// - Parameters:
///   - description: What the assertions say, for the failure's text.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - assertions: The assertions that must hold at rest.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func asyncAssert(
  _ description: String,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ assertions: @escaping @MainActor () throws -> Void
) rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let call = "asyncAssert \"\(description)\""
  guard mayWait(call, at: site) else { return }
  guard TestTasks.canBeFollowed else {
    return holdEventuallyHere(description, site, assertions)
  }
  guard comesToRest(call, assertions: true, at: site) else { return }
  try MainQueue.run(assertions)
}

/// Lets what the test has started come to rest, then runs assertions once, on the main actor.
///
/// The form for asynchronous tests of both frameworks; otherwise like the synchronous one.
///
/// Where tasks cannot be followed it cannot know when they are at rest. There it holds failures back, and
/// runs the assertions again whenever something may have changed, until they hold or the hang timeout ends, as
/// `eventually` does; see <doc:AssertionsThatWait>.
///
/// ```swift
/// model.load()
/// await asyncAssert("the names are shown") {
///   #expect(model.names == ["Ada", "Grace"])
/// }
/// ```
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public func asyncAssert(
  _ description: String,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ assertions: @escaping @MainActor () throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  guard TestTasks.canBeFollowed else {
    return await holdEventually(description, site, assertions)
  }
  let call = "asyncAssert \"\(description)\""
  guard await comesToRest(call, assertions: true, at: site) else { return }
  try await assertions()
}

/// Lets what the test has started come to rest, then runs asynchronous assertions once, on the main
/// actor.
///
/// Otherwise like the form with synchronous assertions.
///
/// ```swift
/// Task { await store.load() }
/// await asyncAssert("the names are stored") {
///   let names = await store.names
///   #expect(names == ["Ada", "Grace"])
/// }
/// ```
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
@_disfavoredOverload
public func asyncAssert(
  _ description: String,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ assertions: @escaping @MainActor () async throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  guard TestTasks.canBeFollowed else {
    return await holdEventually(description, site, assertions)
  }
  let call = "asyncAssert \"\(description)\""
  guard await comesToRest(call, assertions: true, at: site) else { return }
  try await assertions()
}

/// The same for synchronous code.
private func holdEventuallyHere(
  _ description: String, _ site: CallSite, _ assertions: @escaping @MainActor () throws -> Void
) {
  let hasEnded = OneShotContinuation<Void>()
  Task { @MainActor in
    await holdEventually(description, site, assertions)
    hasEnded.resume()
  }
  hasEnded.waitHere()
}

@MainActor private func holdEventually(
  _ description: String, _ site: CallSite, _ assertions: @escaping @MainActor () throws -> Void
) async {
  await eventually(
    asserting: description, fileID: site.fileID, filePath: site.filePath, line: site.line,
    column: site.column
  ) { try assertions() }
}

@MainActor @_disfavoredOverload private func holdEventually(
  _ description: String, _ site: CallSite,
  _ assertions: @escaping @MainActor () async throws -> Void
) async {
  await eventually(
    asserting: description, fileID: site.fileID, filePath: site.filePath, line: site.line,
    column: site.column
  ) { try await assertions() }
}

/// Whether a synchronous call may wait here; if not, fails the test.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private func mayWait(_ call: String, at site: CallSite) -> Bool {
  guard Simulation.current == nil, !Thread.isMainThread, MainQueue.isCurrent else { return true }
  Reporter(at: site).fail(
    """
    \(call) was called without await by a test of Swift Testing on the main actor: it would hold the \
    main actor while it waits, and nothing could run there. The assertions were not run.
    Make the test async and write await.
    """)
  return false
}

extension MainQueue {
  /// Runs code of the main actor, from synchronous code.
  fileprivate static func run(_ body: @MainActor () throws -> Void) rethrows {
    if isCurrent { return try MainActor.assumeIsolated(body) }
    try outsideSimulations {
      try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
    }
  }
}
