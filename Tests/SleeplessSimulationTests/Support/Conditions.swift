import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// For what a simulation can do only where it captures the whole process.
  static var wholeProcess: Self { .needs(.capture) }
}
