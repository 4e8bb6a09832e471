/// Passes `work` to `run`, which runs it and waits for it; returns its result or rethrows its error.
///
/// `rescue` is always `{ throw $0 }`. In a `rethrows` function only a closure parameter may throw. So the
/// stored error is thrown by this one, as in Dispatch's `_syncHelper`.
func waitForResult<Result>(
  of work: () throws -> Result, by run: (@escaping @Sendable () -> Void) -> Void,
  rescue: (any Error) throws -> Result
) rethrows -> Result {
  let result = withoutActuallyEscaping(work) { work in
    let awaited = AwaitedWork(work)
    run { awaited.run() }
    return awaited.result!  // `run` must run the closure
  }
  switch result {
  case .success(let value): return value
  case .failure(let error): return try rescue(error)
  }
}

/// Unchecked: the thread that runs the closure writes the variables, and the caller reads them
/// after `run` has waited for that thread.
private final class AwaitedWork<Value>: @unchecked Sendable {
  private var work: (() throws -> Value)?
  private(set) var result: Result<Value, any Error>?

  init(_ work: @escaping () throws -> Value) { self.work = work }

  /// Releases the closure before it stores the result. A queue may hold the closure that it ran for
  /// a moment longer, and `withoutActuallyEscaping` stops the program if its closure outlives it.
  func run() {
    result = work.take().map { work in Result { try work() } }
  }
}
