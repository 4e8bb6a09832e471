/// An object for closures to capture. It reports its release.
package final class Probe: Sendable {
  private let onRelease: @Sendable () -> Void

  package init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

  deinit { onRelease() }

  /// Does nothing. A closure that calls it has captured the probe.
  package func touch() {}
}
