import Sleepless

/// What somebody wants to be run.
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
