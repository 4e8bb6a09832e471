import Sleepless

extension PublisherCompletion {
  /// Whether both are finishes, or failures with equal errors.
  ///
  /// Errors that are not `Equatable` are equal if they are of one type and print the same.
  func isSame(as other: PublisherCompletion?) -> Bool {
    switch (self, other) {
    case (.finished, .finished): true
    case (.failure(let a), .failure(let b)): areEqual(a, b)
    default: false
    }
  }

  /// `finished`, or `failed: offline`.
  var text: String {
    switch self {
    case .finished: "finished"
    case .failure(let error): "failed: \(eventText(of: error))"
    }
  }

  var isFinished: Bool { if case .finished = self { true } else { false } }
}

private func areEqual(_ a: any Error, _ b: any Error) -> Bool {
  // By way of `Any`: the compiler would otherwise take every error for `Equatable`.
  if let a = (a as Any) as? any Equatable { return a.isEqual(to: b) }
  return type(of: a) == type(of: b) && String(describing: a) == String(describing: b)
}

extension Equatable {
  fileprivate func isEqual(to other: any Error) -> Bool { (other as? Self) == self }
}
