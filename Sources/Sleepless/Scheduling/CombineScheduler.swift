#if canImport(Combine)
  import Combine

  /// A scheduler in the form that Combine's operators take.
  ///
  /// `.debounce(for: 0.3, scheduler: scheduler.combine())` debounces on a test scheduler. The underlying
  /// scheduler runs the work, and lists of pending work name the line that called `combine()`. Combine offers no
  /// way to cancel one-shots.
  public struct CombineScheduler: Combine.Scheduler, Sendable {
    /// There are no options.
    public typealias SchedulerOptions = Never

    private let base: any SchedulerType
    private let site: CallSite

    init(_ base: any SchedulerType, at site: CallSite) { (self.base, self.site) = (base, site) }

    /// The scheduler's time.
    public var now: SchedulerTimeType { SchedulerTimeType(offset: base.now) }

    /// Zero: the scheduler distinguishes all durations.
    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    /// Runs work as the scheduler's `async` does: a ``MainThreadScheduler`` runs it at once on the main thread.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
      let action = Action(action)
      base.async(
        fileID: site.fileID, filePath: site.filePath, line: site.line, column: site.column
      ) { action.run() }
    }

    /// Runs work at an instant.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) {
      let action = Action(action)
      base.schedule(
        after: date.offset - base.now, tolerance: tolerance.duration, label: nil, at: site
      ) { action.run() }
    }

    /// Runs work at an instant and then at every interval; dropping the token cancels, as in
    /// Combine.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
    ) -> any Combine.Cancellable {
      let action = Action(action)
      let token = base.schedule(
        after: date.offset - base.now, every: interval.duration, tolerance: tolerance.duration,
        label: nil, at: site
      ) { action.run() }
      return AnyCancellable { token.cancel() }
    }

    /// An instant: the time since the scheduler's start.
    public struct SchedulerTimeType: Strideable, Hashable, Codable, Sendable {
      /// The time since the start.
      public let offset: Duration

      /// Makes the instant at an offset from the start.
      public init(offset: Duration) { self.offset = offset }

      /// Returns how much later the other instant is.
      public func distance(to other: SchedulerTimeType) -> Stride {
        Stride(duration: other.offset - offset)
      }

      /// Returns the instant later by a stride.
      public func advanced(by stride: Stride) -> SchedulerTimeType {
        SchedulerTimeType(offset: offset + stride.duration)
      }

      /// A time between two instants.
      public struct Stride:
        SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable,
        Sendable
      {
        /// The time itself.
        public let duration: Duration

        /// Makes a stride of a duration.
        public init(duration: Duration) { self.duration = duration }

        /// Makes a stride of seconds: `.debounce(for: 0.3, scheduler: scheduler.combine())`.
        public init(floatLiteral seconds: Double) {
          duration = Duration(clampingSeconds: seconds)
        }

        /// Makes a stride of whole seconds.
        public init(integerLiteral seconds: Int) { duration = .seconds(seconds) }

        /// Makes a stride of whole seconds; nil if `Int64` cannot hold the number.
        public init?<Source: BinaryInteger>(exactly source: Source) {
          guard let seconds = Int64(exactly: source) else { return nil }
          duration = .seconds(seconds)
        }

        /// The size of the stride.
        public var magnitude: Double { abs(duration.timeInterval) }

        /// Makes a stride of seconds.
        public static func seconds(_ count: Int) -> Stride { Stride(duration: .seconds(count)) }
        /// Makes a stride of seconds.
        public static func seconds(_ count: Double) -> Stride {
          Stride(duration: Duration(clampingSeconds: count))
        }
        /// Makes a stride of milliseconds.
        public static func milliseconds(_ count: Int) -> Stride {
          Stride(duration: .milliseconds(count))
        }
        /// Makes a stride of microseconds.
        public static func microseconds(_ count: Int) -> Stride {
          Stride(duration: .microseconds(count))
        }
        /// Makes a stride of nanoseconds.
        public static func nanoseconds(_ count: Int) -> Stride {
          Stride(duration: .nanoseconds(count))
        }

        /// Whether the first stride is the shorter one.
        public static func < (a: Stride, b: Stride) -> Bool { a.duration < b.duration }
        /// The sum.
        public static func + (a: Stride, b: Stride) -> Stride {
          Stride(duration: a.duration + b.duration)
        }
        /// The difference.
        public static func - (a: Stride, b: Stride) -> Stride {
          Stride(duration: a.duration - b.duration)
        }
        /// The product of the two numbers of seconds: Combine's protocol asks for it.
        public static func * (a: Stride, b: Stride) -> Stride {
          Stride(duration: a.duration * b.duration.timeInterval)
        }
        /// Multiplies in place.
        public static func *= (a: inout Stride, b: Stride) { a = a * b }
      }
    }
  }

  extension SchedulerType {
    /// Returns this scheduler in the form that Combine's operators take.
    ///
    /// A function, because the operators do not say which line schedules work: the line of this call does.
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let query = Combine.PassthroughSubject<String, Never>()
    /// let token = query.debounce(for: 0.3, scheduler: scheduler.combine()).sink { print($0) }
    /// for text in ["s", "sw", "swift"] { query.send(text) }
    /// scheduler.advance(by: .milliseconds(300))  // prints swift
    /// ```
    public func combine(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) -> CombineScheduler {
      CombineScheduler(
        self, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
  }

  /// Unchecked: Combine's schedulers run closures on other threads and take them without
  /// `@Sendable`.
  private final class Action: @unchecked Sendable {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func run() { action() }
  }
#endif
