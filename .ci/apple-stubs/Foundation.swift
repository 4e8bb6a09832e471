// Foundation and ObjectiveC, as far as the sources use them. Without Objective-C: its classes are Swift's.
@_exported import Combine
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

// MARK: ObjectiveC

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol, Equatable, Hashable, CustomStringConvertible {
  public init() {}
  public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
  open func hash(into hasher: inout Hasher) {}
  open var description: String { "" }
  open var debugDescription: String { "" }
  open func isEqual(_ object: Any?) -> Bool { false }
  open var hash: Int { 0 }
}

public struct ObjCBool: ExpressibleByBooleanLiteral {
  public init(_ value: Bool) {}
  public init(booleanLiteral value: Bool) {}
  public var boolValue: Bool { false }
}

public var errno: Int32 { get { 0 } set {} }

// MARK: Values

public typealias TimeInterval = Double

public struct Data: Hashable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
  Sendable, Codable
{
  public struct ReadingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let mappedIfSafe = ReadingOptions(rawValue: 1)
    public static let alwaysMapped = ReadingOptions(rawValue: 2)
  }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let atomic = WritingOptions(rawValue: 1)
  }
  public init() {}
  public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
  public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
  public init(count: Int) {}
  public init(bytes: UnsafeRawPointer, count: Int) {}
  public var count: Int { 0 }
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public func index(after i: Int) -> Int { i }
  public func index(before i: Int) -> Int { i }
  public subscript(index: Int) -> UInt8 { get { 0 } set {} }
  public subscript(bounds: Range<Int>) -> Data { get { self } set {} }
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C)
  where C.Element == UInt8 {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    fatalError()
  }
  public func base64EncodedString() -> String { "" }
  public func write(to url: URL, options: WritingOptions = []) throws {}
}

public struct Date: Hashable, Comparable, Sendable, Codable {
  public init() {}
  public init(timeIntervalSinceNow: TimeInterval) {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public init(timeIntervalSinceReferenceDate: TimeInterval) {}
  public var timeIntervalSinceNow: TimeInterval { 0 }
  public var timeIntervalSince1970: TimeInterval { 0 }
  public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
  public static var timeIntervalSinceReferenceDate: TimeInterval { 0 }
  public func timeIntervalSince(_ date: Date) -> TimeInterval { 0 }
  public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
  public static var now: Date { Date() }
  public static let distantFuture = Date()
  public static let distantPast = Date()
  public static func < (a: Date, b: Date) -> Bool { false }
  public static func + (a: Date, b: TimeInterval) -> Date { a }
}

public struct URL: Hashable, Sendable, Codable {
  public struct BookmarkCreationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public struct BookmarkResolutionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public func bookmarkData(
    options: BookmarkCreationOptions = [], includingResourceValuesForKeys: Set<String>? = nil,
    relativeTo url: URL? = nil
  ) throws -> Data { Data() }
  public init(
    resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [],
    relativeTo url: URL? = nil, bookmarkDataIsStale: inout Bool
  ) throws {}
  public init(fileURLWithPath path: String) {}
  public init(filePath path: String) {}
  public func path(percentEncoded: Bool = true) -> String { "" }
  public func appending(path: String) -> URL { self }
  public func appending(component: String) -> URL { self }
  public init?(string: String) {}
  public var path: String { "" }
  public var lastPathComponent: String { "" }
  public var pathExtension: String { "" }
  public var absoluteString: String { "" }
  public func appendingPathComponent(_ component: String) -> URL { self }
  public func deletingLastPathComponent() -> URL { self }
  public func deletingPathExtension() -> URL { self }
  public var standardizedFileURL: URL { self }
}

public struct UUID: Hashable, Sendable, Codable {
  public init() {}
  public init?(uuidString: String) {}
  public var uuidString: String { "" }
}

public struct CharacterSet: Sendable {
  public static let whitespaces = CharacterSet()
  public static let whitespacesAndNewlines = CharacterSet()
  public static let newlines = CharacterSet()
}

extension StringProtocol {
  public func contains<T: StringProtocol>(_ other: T) -> Bool { false }
  public func replacingOccurrences(of target: String, with replacement: String) -> String { "" }
  public func trimmingCharacters(in set: CharacterSet) -> String { "" }
  public func components(separatedBy separator: String) -> [String] { [] }
  public func range<T: StringProtocol>(
    of string: T, options: String.CompareOptions = [], range: Range<Index>? = nil
  ) -> Range<Index>? { nil }
  public var capitalized: String { "" }
  public func data(using encoding: String.Encoding) -> Data? { nil }
}

extension String {
  public struct CompareOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let regularExpression = CompareOptions(rawValue: 1)
    public static let backwards = CompareOptions(rawValue: 2)
    public static let anchored = CompareOptions(rawValue: 8)
  }
  public struct Encoding: Hashable, Sendable { public static let utf8 = Encoding() }
  public init(contentsOf url: URL, encoding: Encoding) throws { self = "" }
  public init(contentsOfFile path: String, encoding: Encoding) throws { self = "" }
  public init?(data: Data, encoding: Encoding) { nil }
  public init(format: String, _ arguments: any CVarArg...) { self = "" }
  public func write(to url: URL, atomically: Bool, encoding: Encoding) throws {}
}

public func pow(_ a: Double, _ b: Double) -> Double { a }
public func sqrt(_ a: Double) -> Double { a }
public func log(_ a: Double) -> Double { a }
public func log2(_ a: Double) -> Double { a }
public func exp(_ a: Double) -> Double { a }
public func floor(_ a: Double) -> Double { a }

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { nil }
  public var failureReason: String? { nil }
}

extension Error { public var localizedDescription: String { "" } }

open class NSError: NSObject, Error, @unchecked Sendable {
  public init(domain: String, code: Int, userInfo: [String: Any]? = nil) {}
  open var code: Int { 0 }
  open var domain: String { "" }
}

public protocol CustomNSError: Error {
  static var errorDomain: String { get }
  var errorCode: Int { get }
  var errorUserInfo: [String: Any] { get }
}

extension CustomNSError {
  public static var errorDomain: String { "" }
  public var errorCode: Int { 0 }
  public var errorUserInfo: [String: Any] { [:] }
}

public struct CocoaError: Error, Hashable, Sendable {
  public struct Code: Hashable, Sendable {
    public static let fileNoSuchFile = Code()
    public static let fileReadNoSuchFile = Code()
    public static let fileReadCorruptFile = Code()
    public static let fileReadUnknown = Code()
    public static let fileWriteOutOfSpace = Code()
    public static let fileWriteUnknown = Code()
  }
  public init(_ code: Code) {}
  public var code: Code { Code() }
}

open class JSONEncoder: @unchecked Sendable {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, *)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
    public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
  }
  public init() {}
  open var outputFormatting: OutputFormatting { get { [] } set {} }
  open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}

open class JSONDecoder: @unchecked Sendable {
  public init() {}
  open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}

open class NSMutableArray: NSObject {
  public override init() {}
  public init(array: [Any]) {}
  open func add(_ object: Any) {}
  open func removeAllObjects() {}
}

open class NSMutableDictionary: NSObject {
  public subscript(key: Any) -> Any? { get { nil } set {} }
  open func removeAllObjects() {}
}

open class Formatter: NSObject {}

open class DateFormatter: Formatter, @unchecked Sendable {
  open var dateFormat: String { get { "" } set {} }
  open func string(from date: Date) -> String { "" }
}

open class NumberFormatter: Formatter, @unchecked Sendable {}

open class NSString: NSObject {
  public init(string: String) {}
}

open class NSNumber: NSObject, @unchecked Sendable {
  public init(value: Int) {}
}

// MARK: Processes, files

open class ProcessInfo: NSObject, @unchecked Sendable {
  public class var processInfo: ProcessInfo { ProcessInfo() }
  open var environment: [String: String] { [:] }
  open var arguments: [String] { [] }
  open var activeProcessorCount: Int { 0 }
  open var processIdentifier: Int32 { 0 }
  open var systemUptime: TimeInterval { 0 }
}

open class FileManager: NSObject, @unchecked Sendable {
  public class var `default`: FileManager { FileManager() }
  open var currentDirectoryPath: String { "" }
  open var temporaryDirectory: URL { URL(fileURLWithPath: "") }
  open func createDirectory(atPath path: String, withIntermediateDirectories: Bool) throws {}
  open func createDirectory(at url: URL, withIntermediateDirectories: Bool) throws {}
  open func contentsOfDirectory(atPath path: String) throws -> [String] { [] }
  open func contents(atPath path: String) -> Data? { nil }
  open func createFile(atPath path: String, contents: Data?) -> Bool { false }
  open func removeItem(atPath path: String) throws {}
  open func removeItem(at url: URL) throws {}
  open func fileExists(atPath path: String) -> Bool { false }
  open func fileExists(
    atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?
  ) -> Bool { false }
  open func subpathsOfDirectory(atPath path: String) throws -> [String] { [] }
  open func enumerator(atPath path: String) -> DirectoryEnumerator? { nil }
  open class DirectoryEnumerator: NSObject, Sequence, IteratorProtocol {
    public func next() -> Any? { nil }
    open func nextObject() -> Any? { nil }
    open func skipDescendants() {}
  }
}

public func NSTemporaryDirectory() -> String { "" }

open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardError: FileHandle { FileHandle() }
  open class var standardOutput: FileHandle { FileHandle() }
  public override init() {}
  public init(forWritingTo url: URL) throws {}
  open func close() throws {}
  open func write(_ data: Data) {}
  open func readDataToEndOfFile() -> Data { Data() }
  open func readToEnd() throws -> Data? { nil }
}

open class Bundle: NSObject, @unchecked Sendable {
  open class var main: Bundle { Bundle() }
  public class var allBundles: [Bundle] { [] }
  open var bundlePath: String { "" }
  open var executablePath: String? { nil }
  open var executableURL: URL? { nil }
}

open class Pipe: NSObject, @unchecked Sendable {
  open var fileHandleForReading: FileHandle { FileHandle() }
  open var fileHandleForWriting: FileHandle { FileHandle() }
}

@available(iOS, unavailable)
@available(tvOS, unavailable)
@available(watchOS, unavailable)
open class Process: NSObject, @unchecked Sendable {
  open var executableURL: URL?
  open var arguments: [String]?
  open var environment: [String: String]?
  open var standardOutput: Any?
  open var standardError: Any?
  open var terminationStatus: Int32 { 0 }
  open var terminationHandler: (@Sendable (Process) -> Void)?
  open var processIdentifier: Int32 { 0 }
  open var isRunning: Bool { false }
  open func run() throws {}
  open func waitUntilExit() {}
  open func terminate() {}
}

// MARK: Threads, run loops

open class Thread: NSObject, @unchecked Sendable {
  @available(*, noasync, message: "Thread.current cannot be used from async contexts.")
  open class var current: Thread { Thread() }
  @available(
    *, noasync, message: "Work intended for the main actor should be marked with @MainActor"
  )
  open class var isMainThread: Bool { false }
  open class var main: Thread { Thread() }
  open var threadDictionary: NSMutableDictionary { NSMutableDictionary() }
  @available(*, noasync, message: "Use Task.sleep(until:clock:) instead.")
  open class func sleep(forTimeInterval ti: TimeInterval) {}
  open class func sleep(until date: Date) {}
  @preconcurrency
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
  @preconcurrency
  public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
  public override init() {}
  open var isMainThread: Bool { false }
  open var name: String?
  open var stackSize: Int { get { 0 } set {} }
  open var qualityOfService: QualityOfService { get { .default } set {} }
  open func start() {}
  open func cancel() {}
  open var isFinished: Bool { false }
}

public enum QualityOfService: Int, Sendable {
  case userInteractive, userInitiated, utility, background, `default`
}

public protocol NSLocking: AnyObject {
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  func lock()
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  func unlock()
}

extension NSLocking {
  public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

open class NSLock: NSObject, NSLocking, @unchecked Sendable {
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {}
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {}
}

open class NSRecursiveLock: NSObject, NSLocking, @unchecked Sendable {
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {}
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {}
}

open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {}
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {}
  @available(*, noasync)
  open func wait() {}
  open func wait(until limit: Date) -> Bool { false }
  open func signal() {}
  open func broadcast() {}
}

open class NSConditionLock: NSObject, NSLocking, @unchecked Sendable {
  public init(condition: Int) {}
  open var condition: Int { 0 }
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {}
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {}
  @available(*, noasync)
  open func lock(whenCondition condition: Int) {}
  @available(*, noasync)
  open func lock(before limit: Date) -> Bool { false }
  @available(*, noasync)
  open func lock(whenCondition condition: Int, before limit: Date) -> Bool { false }
  @available(*, noasync)
  open func `try`() -> Bool { false }
  @available(*, noasync)
  open func tryLock(whenCondition condition: Int) -> Bool { false }
  @available(*, noasync)
  open func unlock(withCondition condition: Int) {}
}

@available(*, unavailable)
extension RunLoop: @unchecked Sendable {}

open class RunLoop: NSObject {
  public struct Mode: Hashable, Sendable {
    public static let `default` = Mode()
    public static let common = Mode()
  }
  @available(*, noasync, message: "RunLoop.current cannot be used from async contexts.")
  open class var current: RunLoop { RunLoop() }
  open class var main: RunLoop { RunLoop() }
  open func add(_ timer: Timer, forMode mode: Mode) {}
  open func acceptInput(forMode mode: Mode, before limitDate: Date) {}
  @available(*, noasync, message: "run cannot be used from async contexts.")
  public func run() {}
  @available(*, noasync, message: "run(until:) cannot be used from async contexts.")
  public func run(until limitDate: Date) {}
  @available(*, noasync, message: "run(mode:before:) cannot be used from async contexts.")
  public func run(mode: Mode, before limitDate: Date) -> Bool { false }
  @preconcurrency
  public func perform(_ block: @escaping @Sendable () -> Void) {}
  @preconcurrency
  public func perform(inModes modes: [Mode], block: @escaping @Sendable () -> Void) {}
}

open class Timer: NSObject {
  @preconcurrency
  public init(timeInterval: TimeInterval, repeats: Bool, block: @escaping @Sendable (Timer) -> Void)
  {}
  @preconcurrency
  public init(
    fire date: Date, interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) {}
  @discardableResult
  @preconcurrency
  open class func scheduledTimer(
    withTimeInterval interval: TimeInterval, repeats: Bool,
    block: @escaping @Sendable (Timer) -> Void
  ) -> Timer { fatalError() }
  open func invalidate() {}
  open func fire() {}
  open var fireDate: Date { get { Date() } set {} }
  open var isValid: Bool { false }
}

open class Operation: NSObject, @unchecked Sendable {
  public enum QueuePriority: Int, Sendable { case veryLow = -8, low = -4, normal = 0, high = 4, veryHigh = 8 }

  open var queuePriority: QueuePriority { get { .normal } set {} }
  open func start() {}
  open func main() {}
  open var isCancelled: Bool { false }
  open func cancel() {}
  open var isFinished: Bool { false }
  open func addDependency(_ operation: Operation) {}
  @preconcurrency
  open var completionBlock: (@Sendable () -> Void)? { get { nil } set {} }
  @available(*, noasync)
  open func waitUntilFinished() {}
}

// `init(block:)` is a factory of Objective-C's, which Swift imports as a convenience initializer.
open class BlockOperation: Operation, @unchecked Sendable {
  @preconcurrency
  public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
  @preconcurrency
  open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {}
}

open class OperationQueue: NSObject, @unchecked Sendable {
  open class var main: OperationQueue { OperationQueue() }
  open class var current: OperationQueue? { nil }
  open func addOperation(_ operation: Operation) {}
  open func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {}
  @preconcurrency
  open func addOperation(_ block: @escaping @Sendable () -> Void) {}
  @preconcurrency
  open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {}
  open var maxConcurrentOperationCount: Int { get { 0 } set {} }
  open var isSuspended: Bool { get { false } set {} }
  open var underlyingQueue: DispatchQueue? { get { nil } set {} }
  open var qualityOfService: QualityOfService { get { .default } set {} }
  open var name: String? { get { nil } set {} }
  open func cancelAllOperations() {}
  @available(*, noasync)
  open func waitUntilAllOperationsAreFinished() {}
  open var operationCount: Int { 0 }
}

extension OperationQueue: Combine.Scheduler {
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    public var date: Date
    public init(_ date: Date) { self.date = date }
    public func distance(to other: SchedulerTimeType) -> Stride { fatalError() }
    public func advanced(by n: Stride) -> SchedulerTimeType { self }

    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
      ExpressibleByFloatLiteral, Hashable, Codable, Sendable
    {
      public var magnitude: TimeInterval { 0 }
      public var timeInterval: TimeInterval { 0 }
      public init(_ timeInterval: TimeInterval) {}
      public init(floatLiteral value: TimeInterval) {}
      public init(integerLiteral value: TimeInterval) {}
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

  public struct SchedulerOptions {}

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

extension RunLoop: Combine.Scheduler {
  public typealias SchedulerTimeType = OperationQueue.SchedulerTimeType
  public struct SchedulerOptions {}
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

// MARK: Notifications

public struct Notification {
  public struct Name: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
  }
  public var name: Name
  public var object: Any?
  public init(name: Name, object: Any? = nil) {
    self.name = name
    self.object = object
  }
}

public typealias NSNotification = Notification

extension Notification { public typealias NSNotificationName = Name }

open class NotificationCenter: NSObject, @unchecked Sendable {
  open class var `default`: NotificationCenter { NotificationCenter() }
  open func post(name: Notification.Name, object: Any?) {}
  open func post(_ notification: Notification) {}
  @preconcurrency
  open func addObserver(
    forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { fatalError() }
  open func removeObserver(_ observer: Any) {}
}
