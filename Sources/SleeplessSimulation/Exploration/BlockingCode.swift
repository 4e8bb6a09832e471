/// The code that has blocked its thread while it ran within the step of a held task.
package struct BlockingCode {
  /// How a task blocked its thread.
  package enum Reason {
    /// It waits for a lock: most likely for one that the held task has at that call.
    case lock
    /// It waits for something else, or computes.
    case other
  }

  /// The stacks of held tasks.
  private enum Stacks {
    case some(Set<[UInt]>)
    case all
  }

  /// The functions in which the tasks were suspended.
  private var functions: [UInt: Stacks] = [:]
  /// With so many stacks a function counts as blocking at all of them.
  private static let mostStacks = 3

  package init() {}

  /// Whether a task that is suspended in a function has blocked its thread at a call with that stack.
  package func contains(_ function: UInt, at stack: [UInt]) -> Bool {
    switch functions[function] {
    case .some(let stacks)?: stacks.contains(stack)
    case .all?: true
    case nil: false
    }
  }

  package mutating func insert(_ function: UInt, at stack: [UInt], _ reason: Reason) {
    guard case .lock = reason, case .some(var stacks) = functions[function, default: .some([])]
    else { return functions[function] = .all }
    stacks.insert(stack)
    functions[function] = stacks.count < Self.mostStacks ? .some(stacks) : .all
  }
}
