import Sleepless
import SleeplessSimulation

/// An answer of a ``Stub``: a value or an error, at once, later, or when the test opens a gate.
///
/// ```swift
/// @Test(.simulated) func `the second answer comes after a second`() async throws {
///   let user = Stub<Int, String>("user")
///   user.inTurn(.value("Ada"), .after(.seconds(1), .value("Tom")))
///   #expect(try await user(1) == "Ada")
///   #expect(try await user(2) == "Tom")
///   #expect(Simulation.current?.now == .seconds(1))
/// }
/// ```
public struct StubAnswer<Value: Sendable>: Sendable {
  indirect enum Kind: Sendable {
    case value(Value)
    case error(any Error)
    case held(Gate<Value>)
    case after(Duration, StubTime, StubAnswer)
  }

  let kind: Kind

  /// The call returns a value.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age")
  /// age.inTurn(.value(36), .error(Trouble.offline))
  /// #expect(try await age("Ada") == 36)
  /// await #expect(throws: Trouble.offline) { try await age("Ada") }
  /// ```
  public static func value(_ value: Value) -> Self { Self(kind: .value(value)) }

  /// The call throws an error.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age")
  /// age.inTurn(.value(36), .error(Trouble.offline))
  /// #expect(try await age("Ada") == 36)
  /// await #expect(throws: Trouble.offline) { try await age("Ada") }
  /// ```
  public static func error(_ error: any Error) -> Self { Self(kind: .error(error)) }

  /// The gate holds the call back until the test answers it.
  ///
  /// A synchronous call with `now` cannot wait for it and fails the test at the stub's line.
  ///
  /// ```swift
  /// let gate = Gate<Int>("answer")
  /// let age = Stub<String, Int>("age", default: .held(by: gate))
  /// let asking = Task { try await age("Ada") }
  /// try await gate.entered().succeed(with: 36)
  /// #expect(try await asking.value == 36)
  /// ```
  public static func held(by gate: Gate<Value>) -> Self { Self(kind: .held(gate)) }

  /// The answer comes after a delay in virtual time, in the simulation that runs the caller.
  ///
  /// Outside a simulation such a call fails the test at the stub's line: a stub waits for no real time.
  /// A negative delay means zero.
  ///
  /// The test of this example has the trait `.simulated`.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .after(.seconds(2), .value(36)))
  /// #expect(try await age("Ada") == 36)
  /// #expect(Simulation.current?.now == .seconds(2))
  /// ```
  public static func after(_ delay: Duration, _ answer: Self) -> Self {
    Self(kind: .after(delay, .simulation, answer))
  }

  /// The answer comes after a delay in a scheduler's time.
  ///
  /// The call is answered when an advance of the scheduler has come to the deadline.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let age = Stub<String, Int>("age")
  /// age.always(.after(.seconds(2), on: scheduler, .value(36)))
  /// let answers = Recorder<Int, Never>("answers", time: .of(scheduler))
  /// age("Ada") { answers.record((try? $0.get()) ?? 0) }
  /// scheduler.run()
  /// answers.expect(marbles: "2s 36")
  /// ```
  public static func after(
    _ delay: Duration, on scheduler: TestScheduler, _ answer: Self
  ) -> Self {
    let time = StubTime.of { [weak owner = scheduler.owner] in owner }
    return Self(kind: .after(delay, time, answer))
  }

  /// The answer comes after a delay in a clock's time.
  ///
  /// The call is answered when an advance of the clock has come to the deadline.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let age = Stub<String, Int>("age", default: .after(.seconds(2), on: clock, .value(36)))
  /// let asking = Task { try await age("Ada") }
  /// await clock.waitForSleepers()
  /// await clock.advance(by: .seconds(2))
  /// #expect(try await asking.value == 36)
  /// ```
  public static func after(_ delay: Duration, on clock: TestClock, _ answer: Self) -> Self {
    let time = StubTime.of { [weak owner = clock.owner] in owner }
    return Self(kind: .after(delay, time, answer))
  }
}

extension StubAnswer where Value == Void {
  /// The call returns.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let save = Stub<String, Void>("save")
  /// save.inTurn(.error(Trouble.offline), .value())
  /// await #expect(throws: Trouble.offline) { try await save("Ada") }
  /// try await save("Ada")  // returns
  /// ```
  public static func value() -> Self { .value(()) }
}

extension StubAnswer {
  /// Why a synchronous call cannot have this answer; nil if it can.
  var delayText: String? {
    switch kind {
    case .value, .error: nil
    case .held(let gate): "is held back by the gate \(gate.core.owner.name)"
    case .after(let delay, _, _): "comes after \(delay.shortDescription)"
    }
  }
}

/// The virtual time in which a delay is counted.
enum StubTime: Sendable {
  /// The time of the simulation that runs the caller.
  case simulation
  /// The time of a scheduler. The stub does not keep it: its release reports the work left on it.
  case of(@Sendable () -> TimelineOwner?)

  /// A scheduler in that time; nil if no simulation runs the caller, or the scheduler was released.
  func scheduler(_ owner: DoubleOwner) -> TestScheduler? {
    switch self {
    case .of(let timeline):
      return timeline().map { TestScheduler(nil, owner: $0, reporter: owner.reporter) }
    case .simulation:
      guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), Simulation.current != nil else {
        return nil
      }
      return Simulation.scheduler()
    }
  }
}
