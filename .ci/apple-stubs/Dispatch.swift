// Dispatch, as far as the sources use it, with Combine's scheduler on its queues.
@_exported import Combine
@_exported import Darwin

open class DispatchObject {
  init() {}
  public func setTarget(queue: DispatchQueue?) {}
  public func activate() {}
  public func suspend() {}
  public func resume() {}
}

public struct DispatchQoS: Equatable, Sendable {
  public enum QoSClass: Sendable {
    case background, utility, `default`, userInitiated, userInteractive, unspecified
  }
  public static let background = DispatchQoS()
  public static let utility = DispatchQoS()
  public static let `default` = DispatchQoS()
  public static let userInitiated = DispatchQoS()
  public static let userInteractive = DispatchQoS()
  public static let unspecified = DispatchQoS()
}

public struct DispatchWorkItemFlags: OptionSet, RawRepresentable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let barrier = DispatchWorkItemFlags(rawValue: 1)
  public static let detached = DispatchWorkItemFlags(rawValue: 2)
  public static let enforceQoS = DispatchWorkItemFlags(rawValue: 4)
  public static let assignCurrentContext = DispatchWorkItemFlags(rawValue: 8)
  public static let inheritQoS = DispatchWorkItemFlags(rawValue: 16)
  public static let noQoS = DispatchWorkItemFlags(rawValue: 32)
}

public enum DispatchTimeInterval: Equatable, Sendable {
  case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public struct DispatchTime: Comparable, Sendable {
  public let rawValue: UInt64
  public static func now() -> DispatchTime { fatalError() }
  public init(uptimeNanoseconds: UInt64) { rawValue = 0 }
  public static let distantFuture = DispatchTime(uptimeNanoseconds: 0)
  public var uptimeNanoseconds: UInt64 { 0 }
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { false }
  public static func == (a: DispatchTime, b: DispatchTime) -> Bool { false }
  public func distance(to other: DispatchTime) -> DispatchTimeInterval { .never }
  public func advanced(by n: DispatchTimeInterval) -> DispatchTime { self }
}

public struct DispatchWallTime: Comparable, Sendable {
  public let rawValue: UInt64
  public static func now() -> DispatchWallTime { fatalError() }
  public static let distantFuture = DispatchWallTime.now()
  public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool { false }
  public static func == (a: DispatchWallTime, b: DispatchWallTime) -> Bool { false }
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
public func - (time: DispatchTime, seconds: Double) -> DispatchTime { time }
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime { time }
public func - (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime { time }
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime { time }
public func - (time: DispatchWallTime, seconds: Double) -> DispatchWallTime { time }

@frozen public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public enum DispatchPredicate {
  case onQueue(DispatchQueue), onQueueAsBarrier(DispatchQueue), notOnQueue(DispatchQueue)
}

public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}

// Not `Sendable`, as in Apple's.
public class DispatchWorkItem {
  @preconcurrency
  public init(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    block: @escaping @Sendable @convention(block) () -> Void
  ) {}
  public func perform() {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { .success }
  @preconcurrency
  public func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute: @escaping @Sendable @convention(block) () -> Void
  ) {}
  public func notify(queue: DispatchQueue, execute: DispatchWorkItem) {}
  public func cancel() {}
  public var isCancelled: Bool { false }
}

open class DispatchGroup: DispatchObject, @unchecked Sendable {
  public override init() {}
  public func enter() {}
  public func leave() {}
  @available(*, noasync, message: "Use a TaskGroup instead")
  public func wait() {}
  @available(*, noasync, message: "Use a TaskGroup instead")
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { .success }
  @preconcurrency
  public func notify(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
  public func notify(queue: DispatchQueue, work: DispatchWorkItem) {}
}

open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  @available(*, noasync, message: "Await a Task handle instead")
  public func wait() {}
  @available(*, noasync, message: "Await a Task handle instead")
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { .success }
  @discardableResult public func signal() -> Int { 0 }
}

public protocol DispatchSourceProtocol: AnyObject {
  typealias DispatchSourceHandler = @convention(block) () -> Void
  func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  func cancel()
  func resume()
  func suspend()
  func activate()
  var data: UInt { get }
  var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
  public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: DispatchSourceHandler?
  ) {}
  public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: DispatchSourceHandler?
  ) {}
}

public protocol DispatchSourceTimer: DispatchSourceProtocol {}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}

extension DispatchSourceTimer {
  public func schedule(
    deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {}
  public func schedule(
    deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {}
  public func schedule(
    wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {}
}

open class DispatchSource: DispatchObject {
  public struct TimerFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let strict = TimerFlags(rawValue: 1)
  }
  public class func makeTimerSource(
    flags: TimerFlags = [], queue: DispatchQueue? = nil
  ) -> any DispatchSourceTimer { fatalError() }
  public class func makeSignalSource(
    signal: Int32, queue: DispatchQueue? = nil
  ) -> any DispatchSourceSignal { fatalError() }
}

public final class DispatchSpecificKey<T>: @unchecked Sendable { public init() {} }

open class DispatchQueue: DispatchObject, @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 1)
    public static let initiallyInactive = Attributes(rawValue: 2)
  }
  public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
  public enum GlobalQueuePriority: Sendable { case high, `default`, low, background }

  public class var main: DispatchQueue { fatalError() }
  public var qos: DispatchQoS { .unspecified }
  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
    autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
  ) { fatalError() }
  public var label: String { "" }
  public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}

  @preconcurrency
  public func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
  public func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {}
  public func async(execute workItem: DispatchWorkItem) {}
  @preconcurrency
  public func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
  @preconcurrency
  public func asyncAfter(
    wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified,
    flags: DispatchWorkItemFlags = [], execute work: @escaping @Sendable @convention(block) () -> Void
  ) {}
  public func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {}
  public func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {}
  public func sync(execute block: () -> Void) {}
  @available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, *)
  public func asyncAndWait(execute workItem: DispatchWorkItem) {}
  public func sync(execute workItem: DispatchWorkItem) {}
  public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
  public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
    try work()
  }
}

extension DispatchQueue: Combine.Scheduler {
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    public init(_ time: DispatchTime) {}
    public var dispatchTime: DispatchTime { .now() }
    public func distance(to other: SchedulerTimeType) -> Stride { fatalError() }
    public func advanced(by n: Stride) -> SchedulerTimeType { self }

    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral, Hashable, Codable, Sendable
    {
      public var magnitude: Int { 0 }
      public var timeInterval: DispatchTimeInterval { .never }
      public init(_ timeInterval: DispatchTimeInterval) {}
      public init(floatLiteral value: Double) {}
      public init(integerLiteral value: Int) {}
      public init?<T: BinaryInteger>(exactly source: T) {}
      public static func < (a: Stride, b: Stride) -> Bool { false }
      public static func * (a: Stride, b: Stride) -> Stride { a }
      public static func + (a: Stride, b: Stride) -> Stride { a }
      public static func - (a: Stride, b: Stride) -> Stride { a }
      public static func *= (a: inout Stride, b: Stride) {}
      public static func seconds(_ s: Double) -> Stride { fatalError() }
      public static func seconds(_ s: Int) -> Stride { fatalError() }
      public static func milliseconds(_ ms: Int) -> Stride { fatalError() }
      public static func microseconds(_ us: Int) -> Stride { fatalError() }
      public static func nanoseconds(_ ns: Int) -> Stride { fatalError() }
    }
  }

  public struct SchedulerOptions: Sendable {
    public init(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {}
  }

  public var now: SchedulerTimeType { fatalError() }
  public var minimumTolerance: SchedulerTimeType.Stride { fatalError() }
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {}
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {}
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable { fatalError() }
}
