#if canImport(Combine)
  import Combine

  /// A scheduler as Combine's operators take it: `.debounce(for: 0.3, scheduler: scheduler.combine)`.
  ///
  /// Work runs when and where the scheduler runs it. Combine offers no way to cancel one-shots.
  public struct CombineScheduler: Combine.Scheduler, Sendable {
    /// No options: the scheduler decides.
    public typealias SchedulerOptions = Never

    private let base: any SchedulerType

    init(_ base: any SchedulerType) { self.base = base }

    /// The scheduler's time.
    public var now: SchedulerTimeType { SchedulerTimeType(offset: base.now) }

    /// Zero: every duration can be told from every other.
    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    /// Runs work as soon as the scheduler does.
    public func schedule(options: Never?, _ action: @escaping () -> Void) {
      let action = Action(action)
      base.schedule(after: .zero) { action.run() }
    }

    /// Runs work at an instant.
    public func schedule(
      after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) {
      let action = Action(action)
      base.schedule(after: date.offset - base.now, tolerance: tolerance.duration) { action.run() }
    }

    /// Runs work from an instant on, again and again; dropping the token cancels, as in Combine.
    public func schedule(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
      tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
    ) -> any Combine.Cancellable {
      let action = Action(action)
      let token = base.schedule(
        after: date.offset - base.now, every: interval.duration, tolerance: tolerance.duration
      ) { action.run() }
      return AnyCancellable { token.cancel() }
    }

    /// An instant: the time since the scheduler's start.
    public struct SchedulerTimeType: Strideable, Sendable {
      /// The time since the start.
      public let offset: Duration

      /// Returns how much later the other instant is.
      public func distance(to other: SchedulerTimeType) -> Stride {
        Stride(duration: other.offset - offset)
      }

      /// Returns the instant that much later.
      public func advanced(by stride: Stride) -> SchedulerTimeType {
        SchedulerTimeType(offset: offset + stride.duration)
      }

      /// A time between two instants.
      public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Sendable {
        /// The time itself.
        public let duration: Duration

        init(duration: Duration) { self.duration = duration }

        /// Makes a stride of whole seconds.
        public init(integerLiteral seconds: Int) { duration = .seconds(seconds) }

        /// Makes a stride of whole seconds, if the number can be one.
        public init?<Source: BinaryInteger>(exactly source: Source) {
          guard let seconds = Int64(exactly: source) else { return nil }
          duration = .seconds(seconds)
        }

        /// The size of the stride.
        public var magnitude: Double { abs(duration.timeInterval) }

        /// That many seconds.
        public static func seconds(_ count: Int) -> Stride { Stride(duration: .seconds(count)) }
        /// That many seconds.
        public static func seconds(_ count: Double) -> Stride {
          Stride(duration: Duration(clampingSeconds: count))
        }
        /// That many milliseconds.
        public static func milliseconds(_ count: Int) -> Stride {
          Stride(duration: .milliseconds(count))
        }
        /// That many microseconds.
        public static func microseconds(_ count: Int) -> Stride {
          Stride(duration: .microseconds(count))
        }
        /// That many nanoseconds.
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
        /// The product of the seconds, which is what Combine's protocol asks for.
        public static func * (a: Stride, b: Stride) -> Stride {
          Stride(duration: a.duration * b.duration.timeInterval)
        }
        /// Multiplies in place.
        public static func *= (a: inout Stride, b: Stride) { a = a * b }
      }
    }
  }

  extension SchedulerType {
    /// This scheduler as Combine's operators take it.
    public var combine: CombineScheduler { CombineScheduler(self) }
  }

  /// Unchecked because Combine's schedulers take closures that do not say so, and run them elsewhere.
  private final class Action: @unchecked Sendable {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func run() { action() }
  }
#endif
