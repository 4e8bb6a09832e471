/// An object for closures to capture, which tells when nobody holds it any more.
package final class Probe: Sendable {
  private let onRelease: @Sendable () -> Void

  package init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

  deinit { onRelease() }

  /// Does nothing; a closure that calls it has captured the probe.
  package func touch() {}
}
