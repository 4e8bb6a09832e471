/// The code that has blocked its thread while it ran within the step of a held task.
package struct BlockingCode {
  /// How a task blocked its thread.
  package enum Reason {
    /// It waits for a lock: most likely for one that the held task has at that call.
    case lock
    /// It waits for something else, or computes.
    case other
  }

  /// The functions in which the tasks were suspended, with the stacks of the held tasks; nil stands for all stacks.
  private var stacks: [UInt: Set<[UInt]>?] = [:]
  /// After so many stacks, a function counts as one that blocks at all calls.
  private static let mostStacks = 3

  package init() {}

  /// Whether a task that is suspended in a function has blocked its thread at a call with that stack.
  package func contains(_ function: UInt, at stack: [UInt]) -> Bool {
    guard let stacks = stacks[function] else { return false }
    return stacks?.contains(stack) ?? true
  }

  package mutating func insert(_ function: UInt, at stack: [UInt], _ reason: Reason) {
    guard case .lock = reason, let known = stacks[function, default: []],
      known.count + 1 < Self.mostStacks
    else { return stacks[function] = .some(nil) }
    stacks[function] = known.union([stack])
  }
}
