/// Runs a closure by way of something that runs closures and waits for them, and returns or throws
/// what it returned or threw.
///
/// `rescue` is always `{ throw $0 }`: it is a parameter so that the function rethrows.
func waitForResult<Result>(
  of work: () throws -> Result, by run: (@escaping @Sendable () -> Void) -> Void,
  rescue: (any Error) throws -> Result
) rethrows -> Result {
  let result = withoutActuallyEscaping(work) { work in
    let resultOfWork = ResultOfWork(work)
    run { resultOfWork.run() }
    return resultOfWork.result!
  }
  switch result {
  case .success(let value): return value
  case .failure(let error): return try rescue(error)
  }
}

/// Unchecked because its variables are written by the thread that runs the closure, and read when
/// `run` has waited for it.
private final class ResultOfWork<Value>: @unchecked Sendable {
  private var work: (() throws -> Value)?
  private(set) var result: Result<Value, any Error>?

  init(_ work: @escaping () throws -> Value) { self.work = work }

  /// Lets go of the closure before anybody learns that it has run: a queue may hold what it ran for
  /// a moment longer, and the program stops if a closure outlives `withoutActuallyEscaping`.
  func run() {
    result = work.take().map { work in Result { try work() } }
  }
}
