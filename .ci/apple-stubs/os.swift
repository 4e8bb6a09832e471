// os, as far as the sources use it.
import Darwin

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@frozen public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  public init(uncheckedState initialState: State) { fatalError() }

  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }

  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
    fatalError()
  }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension OSAllocatedUnfairLock where State: Sendable {
  public init(initialState: State) { fatalError() }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension OSAllocatedUnfairLock where State == () {
  public init() { fatalError() }

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lock() {}

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() {}

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockIfAvailable() -> Bool { true }
}
