/// How a source ended.
public enum Ending<Failure: Error>: Sendable {
  /// It has said that nothing more will come.
  case finished
  /// It has ended with an error.
  case failed(Failure)
}

extension Ending: Equatable {
  /// Whether both are finishes, or failures with equal errors.
  ///
  /// Errors that are not `Equatable` are equal if they are of one type and print the same.
  public static func == (a: Ending, b: Ending) -> Bool {
    switch (a, b) {
    case (.finished, .finished): true
    case (.failed(let a), .failed(let b)): areEqual(a, b)
    case (.finished, .failed), (.failed, .finished): false
    }
  }
}

extension Ending: CustomStringConvertible {
  /// `finished`, or `failed: offline`.
  public var description: String {
    switch self {
    case .finished: "finished"
    case .failed(let error): "failed: \(eventText(of: error))"
    }
  }
}

private func areEqual(_ a: any Error, _ b: any Error) -> Bool {
  // By way of `Any`: the compiler believes that every error were `Equatable`.
  if let a = (a as Any) as? any Equatable { return a.isEqual(to: b) }
  return type(of: a) == type(of: b) && String(describing: a) == String(describing: b)
}

extension Equatable {
  fileprivate func isEqual(to other: any Error) -> Bool { (other as? Self) == self }
}
