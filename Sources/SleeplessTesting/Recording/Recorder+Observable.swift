import Foundation
import Observation
import Sleepless

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension Recorder where Failure == Never {
  /// Records a property of an `@Observable` object: its value now, and each value that it is set to.
  ///
  /// Nothing is coalesced: two changes in one function are two events, in order, each with the time
  /// of its change. `Observations`, by contrast, gives the value that it finds when its task runs.
  ///
  /// Make it, and read from it, where the object may be used: on the main actor for an object of the
  /// main actor. Observation announces a change just before it happens, so the recorder reads the value
  /// at the next announcement or when the test reads. So a property that several threads change at once
  /// is not recorded exactly. Setting an equal value is an event only if Observation announces it (from
  /// Swift 6.2 on it does not for `Equatable` types).
  ///
  /// The object is kept alive only from a change until its value has been read.
  ///
  /// ```swift
  /// let counter = TapCounter()
  /// let counts = Recorder(of: counter, \.count)
  /// counter.count = 1
  /// counter.count = 2
  /// await counts.expect(0, 1, 2)  // Observations would give 0 and 2
  /// ```
  public convenience init<Object: AnyObject & Observable & SendableMetatype>(
    of object: Object, _ property: KeyPath<Object, Value>, _ name: String? = nil,
    time: RecorderTime = .current, allowsUnread: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(core: RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site))
    let source = ChangeSource(object, property, isolation: isolation)
    source.start(core)
    core.setSource(cancel: source.stop, readChange: source.read)
  }
}

/// Follows one property, change by change.
///
/// `withObservationTracking` calls back once, from within `willSet`, where the property still has the
/// value of the previous change. That value is recorded, and tracking is set up again. The change that
/// begins is noted without its value, which is read at the next change or when the test reads.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class ChangeSource<
  Object: AnyObject & Observable & SendableMetatype, Value: Sendable
>: @unchecked Sendable {
  // Unchecked because object and key path are used only where the object may be used: in `start`, which
  // the test calls, in `willSet`, which is part of a use of the object, and in `read`.
  private weak var object: Object?
  /// Keeps the object from a change until its value has been read.
  private let held = Locked<Held?>(nil)
  private let property: KeyPath<Object, Value>
  private let isolation: (any Actor)?
  private let isStopped = Locked(false)

  // Unchecked because it is only kept and released.
  private struct Held: @unchecked Sendable { let object: Object }

  init(_ object: Object, _ property: KeyPath<Object, Value>, isolation: (any Actor)?) {
    self.object = object
    self.property = property
    self.isolation = isolation
  }

  func start(_ core: RecorderCore<Value, Never>) {
    guard let value = track(core) else { return }
    core.record(value)
  }

  func stop() {
    isStopped.withLock { $0 = true }
    release()
  }

  /// Reads the value and tracks the next change.
  private func track(_ core: RecorderCore<Value, Never>) -> Value? {
    guard let object else { return nil }
    return withObservationTracking {
      object[keyPath: property]
    } onChange: { [self, weak core] in
      guard let core, !isStopped.withLock({ $0 }), let value = track(core) else { return }
      core.recordChange(after: value)
      let held = self.object.map(Held.init)
      self.held.withLock { $0 = held }
    }
  }

  private func release() {
    let held = held.withLock { $0.take() }
    withExtendedLifetime(held) {}  // released after unlocking
  }

  /// The value; nil if the object is gone. At the end of the test it is also nil unless this thread
  /// certainly may use the object.
  func read(isAtEnd: Bool) -> Value? {
    let isSafe = isolation == nil || (isolation === MainActor.shared && Thread.isMainThread)
    guard !isAtEnd || isSafe else { return nil }
    defer { release() }
    return object?[keyPath: property]
  }
}
