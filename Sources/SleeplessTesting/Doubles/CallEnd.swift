/// How a call of a double ended.
package enum CallEnd<Value: Sendable>: Sendable {
  case value(Value)
  /// An error that the test has given as the answer.
  case error(any Error)
  /// Its task was cancelled, or its test has ended.
  case cancelled
  /// The call has failed the test; throw this.
  case reported(any Error)

  init(_ answer: Result<Value, any Error>) {
    switch answer {
    case .success(let value): self = .value(value)
    case .failure(let error): self = .error(error)
    }
  }

  package var result: Result<Value, any Error> {
    switch self {
    case .value(let value): .success(value)
    case .error(let error), .reported(let error): .failure(error)
    case .cancelled: .failure(CancellationError())
    }
  }

  func get() throws -> Value { try result.get() }
}
