/// An object for closures to capture, which tells when nobody holds it any more.
final class Probe: Sendable {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

  deinit { onRelease() }

  /// Does nothing; a closure that calls it has captured the probe.
  func touch() {}
}
