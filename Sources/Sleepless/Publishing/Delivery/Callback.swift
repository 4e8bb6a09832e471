/// A closure of a subscriber, which may belong to an actor.
///
/// Unchecked because the closure need not be `@Sendable`. A closure from an actor is called only
/// there. For other closures the rule of `sink` holds, which is Combine's rule.
struct Callback<Value>: @unchecked Sendable {
  private let body: (Value) -> Void
  private let isolation: (any Actor)?

  init(_ body: @escaping (Value) -> Void, isolation: (any Actor)?) {
    self.body = body
    self.isolation = isolation
  }

  func call(_ value: Value) {
    isolation?.preconditionIsolated("Use receive(on:) to receive on the subscriber's actor.")
    body(value)
  }
}
