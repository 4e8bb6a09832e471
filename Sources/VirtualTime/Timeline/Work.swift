import Sleepless

/// A piece of work: a function or a block.
package enum Work {
  case function(@Sendable () -> Void)
  case block(@Sendable @convention(block) () -> Void)

  package func callAsFunction() {
    switch self {
    case .function(let function): function()
    case .block(let block): block()
    }
  }
}
