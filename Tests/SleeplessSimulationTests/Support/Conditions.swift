import SleeplessSimulation
import Testing

extension Trait where Self == ConditionTrait {
  /// For what a simulation can do only where it captures the whole process.
  static var wholeProcess: Self {
    .enabled(if: CaptureKind.best.isWholeProcess, "this toolchain's executors cannot be replaced")
  }
}
