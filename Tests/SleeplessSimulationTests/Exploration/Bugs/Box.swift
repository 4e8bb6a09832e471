// virtual time: the tests run these in simulations
/// A value behind an actor: each read and each change is a step of its own.
actor Box<Value: Sendable> {
  private(set) var value: Value

  init(_ value: Value) { self.value = value }

  /// As over a network: of two calls either may be answered first.
  func load() async -> Value {
    await Task.yield()
    return value
  }

  func set(_ value: Value) { self.value = value }

  func change(_ change: @Sendable (inout Value) -> Void) { change(&value) }
}

/// A lock whose waiters suspend, as many apps have one.
actor AsyncLock {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func lock() async {
    if isTaken {
      await withCheckedContinuation { waiting.append($0) }
    } else {
      isTaken = true
    }
  }

  func unlock() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
