/// A place in a function that waits, as its source tells.
struct Wait: Sendable {
  var kind: WaitKind
  /// The line of the call.
  let line: Int
  /// The name of the function that it calls, such as `usleep`.
  let call: String
  /// How long it waits, if the source says so.
  var duration: DurationExpression?
  /// Whether it runs a run loop, in a loop that polls too.
  var runsRunLoop = false
  /// Whether it only guards against a hang: a failure or an error follows it in its task.
  var isGuard = false
  /// How often a loop around it runs, if its bounds are literals.
  var times = 1
  /// The closures around it, from the outside in.
  let closures: [Closure]
  /// The lines to write in its place.
  var replacements = Replacements()

  /// What a closure is passed to.
  enum Closure: Equatable, Sendable {
    case task, queue, thread, measure, simulation, other
  }

  struct Replacements: Sendable {
    /// In an asynchronous test that is simulated.
    var asynchronous: String?
    /// In a test that moves the time of a scheduler which it injects.
    var injected: String?
  }
}

/// A call of a function that this package may declare.
struct Call: Sendable {
  struct Argument: Sendable {
    let label: String?
    /// Its tokens, if there are only a few.
    let tokens: [Token]
  }

  enum Receiver: Equatable, Sendable {
    /// No receiver, or `self`.
    case own
    case type(String)
    /// A value, with its type if the function says which.
    case value(type: String?)
  }

  let name: String
  let receiver: Receiver
  let arguments: [Argument]
  let hasTrailingClosure: Bool
  let line: Int
  let closures: [Wait.Closure]
}

/// Something in code that a simulation does not control.
struct Obstacle: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// Real threads, signals, measurements, other processes.
    case realTime
    /// Queues, timers and run loops: a scheduler can stand in for them, and on Linux simulations control them.
    case scheduling
    /// The network: something can stand in for it.
    case injectable
  }

  let kind: Kind
  /// As in "it uses Timer".
  let what: String
  let line: Int
}
