/// An object for tasks to hold, which tells when nobody holds it any more.
final class Probe: Sendable {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

  deinit { onRelease() }

  /// Does nothing; who calls it at the end has held the probe until then.
  func touch() {}
}
