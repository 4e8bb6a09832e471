import Sleepless

/// Waits until a callback is called, and returns its argument; a second call fails the test.
///
/// ```swift
/// let name = try await expectExactlyOnce("the completion") { done in
///   service.fetchName(completion: done)
/// }
/// ```
///
/// It returns when the tasks that the test has started have come to rest, so that a second call of theirs
/// fails this test (see <doc:WaitingForEvents>). A call that comes later fails it at this line as well. The
/// callback may be called on any thread.
/// - Returns: The argument of the first call.
/// - Throws: An error that ends the test without a second failure, if no call comes.
public func expectExactlyOnce<Value: Sendable>(
  _ description: String? = nil, within limit: Duration? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ start: (_ done: @escaping @Sendable (Value) -> Void) -> Void
) async throws -> Value {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let plan = ConditionWaiter.Plan(
    call: "expectExactlyOnce", description: description, evaluator: ConditionEvaluator(.becoming),
    limit: limit,
    expectation: "its callback to be called", shortfall: "it was not",
    advice: "Is the callback kept until there is an answer, and called on every path?")
  guard let waiter = ConditionWaiter(checking: plan, at: site) else {
    throw Reporter(at: site).reportedError
  }
  let name = waiter.name
  let reporter = waiter.reporter
  let values = Locked<[Value]>([])
  start { value in
    let all = values.withLock { values in
      values.append(value)
      return values.map { $0 }
    }
    ChangeNotifier.somethingHappened()
    guard all.count == 2 else { return }
    reporter.fail(
      """
      \(name) expected its callback to be called once, but it was called again: with \
      \(eventText(of: all[0])), and then with \(eventText(of: all[1])).
      Usually the code goes on after calling back, or a retry does not cancel the first try. Return after \
      the callback, or cancel the first try.
      """)
  }
  let value = await waiter.evaluate(nil, isolation: isolation) {
    values.withLock { $0.first }.map(Evaluation.fulfilled) ?? .unfulfilled("not called")
  }
  guard let value else { throw reporter.reportedError }
  _ = await EndOfTest.Rest.reached(.noMoreEvents, orPause: EndOfTest.Rest.pause)
  return value
}
