/// Runs a closure by way of something that runs closures and waits for them, and returns or throws
/// what it returned or threw.
///
/// `rescue` is always `{ throw $0 }`: it is a parameter so that the function rethrows.
func waitForResult<Result>(
  of work: () throws -> Result, by run: (@escaping @Sendable () -> Void) -> Void,
  rescue: (any Error) throws -> Result
) rethrows -> Result {
  let result: Swift.Result<Result, any Error> = withoutActuallyEscaping(work) { work in
    // Written by the thread that runs the closure, read when `run` has waited for it.
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    nonisolated(unsafe) let work = work
    run { result = Swift.Result { try work() } }
    return result!
  }
  switch result {
  case .success(let value): return value
  case .failure(let error): return try rescue(error)
  }
}
