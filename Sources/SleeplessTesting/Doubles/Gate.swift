import Sleepless
import SleeplessSimulation

/// Holds calls back until the test answers them.
///
/// The test waits until a call is in flight, checks the state meanwhile, and then lets the call succeed
/// or fail:
///
/// ```swift
/// let call = try await service.answer.entered()
/// #expect(model.state == .loading)
/// call.succeed(with: .cats)
/// ```
///
/// Several calls may be in flight; each is a ``HeldCall``, and they are answered in any order. A call
/// whose task is cancelled ends with `CancellationError`. Any thread may call, look and answer. The gate
/// keeps its calls and their answers; ``inFlight`` and the gate's own answers cost O(n) in their number.
///
/// Calls that are still held at the end of the test fail it, and then end with `CancellationError`. A
/// call in flight keeps its gate alive. So give a Swift Testing test the trait `.checkedAtEnd`,
/// `.simulated` or `.explored`: without one, the gate does not notice the end.
public final class Gate<Value: Sendable>: Sendable {
  let core: GateCore<Value>
  private let entries: Recorder<HeldCall<Value>, Never>

  /// Makes a gate.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let found = Task { try await search("swift") }
  /// let call = try await search.entered()
  /// call.succeed(with: 42)
  /// #expect(try await found.value == 42)
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name in failures.
  ///   - ignoresCancellation: Whether calls stay in flight although their tasks are cancelled, as with a
  ///     service that answers all the same.
  ///   - time: The time that failures show.
  ///   - fileID: The caller's file.
  ///   - filePath: The caller's path.
  ///   - line: The caller's line.
  ///   - column: The caller's column.
  public init(
    _ name: String? = nil, ignoresCancellation: Bool = false, time: RecorderTime = .current,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let owner = DoubleOwner(name, kind: "gate", at: site)
    core = GateCore(owner, time: time, ignoresCancellation: ignoresCancellation)
    entries = Recorder(
      core: RecorderCore(
        called: owner.name, recording: .calls, time: time, allowsUnread: true,
        reporter: owner.reporter))
    owner.atEndOfTest { [weak self] in self?.checkAtEnd() }
  }

  deinit { checkAtEnd() }

  // MARK: Being called

  /// Waits until the test answers, and returns or throws the answer: `try await gate(query)`.
  ///
  /// The arguments are for failures alone.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let found = Task { try await search("swift") }
  /// let call = try await search.entered()
  /// call.succeed(with: 42)
  /// #expect(try await found.value == 42)
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument
  ) async throws -> Value {
    try await hold(argumentText(of: (repeat each argument))).get()
  }

  /// Calls back when the test answers, on the thread that answers.
  ///
  /// It cannot be cancelled. The arguments are for failures alone.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let answers = Recorder<Int, Never>("answers")
  /// search("swift") { result in answers.record((try? result.get()) ?? 0) }
  /// try search.entered().succeed(with: 42)
  /// answers.expect(42)  // succeed(with:) has called back
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    hold(argumentText(of: (repeat each argument))) { end in completion(end.result) }
  }

  func hold(_ arguments: String?) async -> CallEnd<Value> {
    if let refusal = core.refusal(of: arguments) {
      return await core.owner.endAsync(.reported(refusal))
    }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      simulation.note(waitingFor: "an answer of \(core.owner.name)")
    }
    let call = HeldCall(number: core.enter(arguments), core: core)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.hold(call.number) { continuation.resume(returning: $0) }
        // Recorded last: from now on the test may answer the call.
        entries.record(call)
      }
    } onCancel: {
      core.cancel(call.number)
    }
  }

  func hold(_ arguments: String?, _ completion: @escaping @Sendable (CallEnd<Value>) -> Void) {
    if let refusal = core.refusal(of: arguments) { return completion(.reported(refusal)) }
    let call = HeldCall(number: core.enter(arguments), core: core)
    core.hold(call.number, completion)
    entries.record(call)
  }

  // MARK: Looking

  /// Returns the next call that has not been returned before; it must have come.
  ///
  /// Otherwise it fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let answers = Recorder<Int, Never>("answers")
  /// search("swift") { result in answers.record((try? result.get()) ?? 0) }
  /// try search.entered().succeed(with: 42)
  /// answers.expect(42)  // succeed(with:) has called back
  /// ```
  public func entered(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> HeldCall<Value> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try entries.core.takeValues(1, "entered()", .notWaited, at: site)[0]
  }

  /// Returns the next call that has not been returned before, and waits for it if it has not come.
  ///
  /// If none comes it fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let found = Task { try await search("swift") }
  /// let call = try await search.entered()
  /// call.succeed(with: 42)
  /// #expect(try await found.value == 42)
  /// ```
  public func entered(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> HeldCall<Value> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await entries.core.waitForEvents(1, isolation: isolation)
    return try entries.core.takeValues(1, "entered()", end, at: site)[0]
  }

  /// Returns the call of that number, counted from 1; it must have come.
  ///
  /// If it is not there, the test fails and the call throws. `entered()` returns only later calls from
  /// now on.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// let load = Gate<Int>("load")
  /// for _ in 1...2 { load { answers.record((try? $0.get()) ?? 0) } }
  /// let second = try load.entered(2)
  /// second.succeed(with: 20)
  /// load.succeed(with: 10)  // the first call: it has been in flight longest
  /// answers.expect(20, 10)
  /// ```
  public func entered(
    _ number: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> HeldCall<Value> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try take(number, .notWaited, at: site)
  }

  /// Returns the call of that number, counted from 1, and waits for it if it has not come.
  ///
  /// If it does not come, the test fails and the call throws. `entered()` returns only later calls from
  /// now on.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// let loading = Task { [try await load(), try await load()] }
  /// try await load.entered(1).succeed(with: 10)
  /// try await load.entered(2).succeed(with: 20)
  /// #expect(try await loading.value == [10, 20])
  /// ```
  public func entered(
    _ number: Int, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> HeldCall<Value> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let missing = missing(number)
    let end =
      missing > 0
      ? await entries.core.waitForEvents(missing, isolation: isolation) : .notWaited
    return try take(number, end, at: site)
  }

  private func take(_ number: Int, _ end: WaitEnd, at site: CallSite) throws -> HeldCall<Value> {
    guard number > 0 else {
      throw core.owner.failure(
        "entered(\(number)) must be asked for call 1 or a later one (was \(number)).", at: site)
    }
    let missing = missing(number)
    if missing > 0 {
      _ = try entries.core.takeValues(missing, "entered(\(number))", end, at: site)
    }
    // Not the last one taken: calls from several threads may be recorded in another order.
    return HeldCall(number: number, core: core)
  }

  /// How many more calls have to be read to reach that number.
  private func missing(_ number: Int) -> Int {
    number - entries.core.state.withLock { $0.readCount }
  }

  /// The calls that wait for an answer, in the order in which they came.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// for page in 1...3 { load(page) { _ in } }
  /// try load.entered(2).succeed(with: 0)
  /// #expect(load.inFlight.map(\.number) == [1, 3])
  /// for call in load.inFlight { call.succeed(with: 0) }
  /// ```
  public var inFlight: [HeldCall<Value>] {
    core.inFlight.map { HeldCall(number: $0, core: core) }
  }

  // MARK: Answering

  /// Answers the call that has been in flight longest; there must be one.
  ///
  /// It fails the test at the caller's line if none has entered.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// let load = Gate<Int>("load")
  /// for _ in 1...2 { load { answers.record((try? $0.get()) ?? 0) } }
  /// load.succeed(with: 10)
  /// load.succeed(with: 20)
  /// answers.expect(10, 20)  // in the order of the calls
  /// ```
  public func succeed(
    with value: Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.answerFirst(.success(value), "succeed(with:)", at: site)
  }

  /// Throws from the call that has been in flight longest; there must be one.
  ///
  /// It fails the test at the caller's line if none has entered.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// let loading = Task { try await load() }
  /// _ = try await load.entered()
  /// load.fail(with: Trouble.offline)
  /// await #expect(throws: Trouble.offline) { try await loading.value }
  /// ```
  public func fail(
    with error: any Error,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.answerFirst(.failure(error), "fail(with:)", at: site)
  }

  /// Fails because of calls still in flight, and ends them. Only the first call has an effect.
  package func checkAtEnd() {
    let hasFailed = entries.core.state.withLock { $0.hasFailed }
    core.checkAtEnd(isQuiet: hasFailed)
  }
}

extension Gate where Value == Void {
  /// Answers the call that has been in flight longest; there must be one.
  ///
  /// It fails the test at the caller's line if none has entered.
  ///
  /// ```swift
  /// let save = Gate<Void>("save")
  /// let saving = Task { try await save() }
  /// _ = try await save.entered()
  /// save.succeed()
  /// try await saving.value
  /// ```
  public func succeed(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    succeed(with: (), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Gate: CustomStringConvertible {
  /// The name, and the latest calls with their ends.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// search("swift") { _ in }
  /// let call = try search.entered()
  /// print(call)  // "swift": in flight
  /// print(search)  // "search", and a line for each call
  /// call.succeed(with: 0)
  /// ```
  public var description: String { "\(core.owner.name)\n\(core.historyText)" }
}
