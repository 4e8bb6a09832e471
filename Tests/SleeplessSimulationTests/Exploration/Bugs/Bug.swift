/// Code with a mistake that shows in some orders only, and the same code without the mistake.
///
/// It is ordinary code of an app, with nothing injected and nothing for tests. A body fails, by throwing or by
/// hanging, when the mistake shows. Each run makes all objects that it needs, so that runs share nothing.
struct Bug: Sendable, CustomStringConvertible {
  let name: String
  /// The mistake, in a sentence.
  let story: String
  /// Whether random orders of the steps do not find it: one task would have to go first too often in a row, or a
  /// task would have to run before another one's next statement.
  let needsBias: Bool
  /// Whether its code needs Dispatch's queues, semaphores and clocks in virtual time.
  let needsQueues: Bool
  let buggy: @Sendable () async throws -> Void
  let fixed: @Sendable () async throws -> Void

  init(
    _ name: String, _ story: String, needsBias: Bool = false, needsQueues: Bool = false,
    buggy: @escaping @Sendable () async throws -> Void,
    fixed: @escaping @Sendable () async throws -> Void
  ) {
    self.name = name
    self.story = story
    self.needsBias = needsBias
    self.needsQueues = needsQueues
    self.buggy = buggy
    self.fixed = fixed
  }

  var description: String { name }

  static let all =
    money + caches + screens + locks + handshakes + streams + cancellation + time + orders + queues
}

/// The error that a body throws when its bug shows.
struct Violation: Error, CustomStringConvertible {
  let description: String
}

/// Throws if a condition is false.
func check(_ isTrue: Bool, _ otherwise: @autoclosure () -> String) throws {
  if !isTrue { throw Violation(description: otherwise()) }
}

/// Runs both at the same time, and returns when both have ended.
func both(
  _ first: @escaping @Sendable () async throws -> Void,
  _ second: @escaping @Sendable () async throws -> Void
) async throws {
  try await together([first, second])
}

/// Runs all of them at the same time, and returns when the last has ended.
func together(_ works: [@Sendable () async throws -> Void]) async throws {
  try await withThrowingTaskGroup { group in
    for work in works { group.addTask(operation: work) }
    try await group.waitForAll()
  }
}
