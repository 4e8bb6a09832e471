// virtual time: all sleeps are in simulations
import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport

/// A guard of ten seconds, counted in virtual time: ten slices of a second each.
@Suite struct HangTimerTests {
  private let scheduler = TestScheduler()
  private let silences = Log<Duration>()

  /// Starts the timer; the task at the end of each slice, counted from one, starts that late.
  private func start(lateness: @escaping @Sendable (_ slice: Int) -> Duration) -> HangTimer {
    let slices = Locked(0)
    return HangTimer(.seconds(10), on: scheduler) { [scheduler, silences] in
      silences.append(scheduler.now)
    } startTask: { [scheduler] body in
      let slice = slices.withLock { slices in
        slices += 1
        return slices
      }
      scheduler.schedule(after: lateness(slice)) { body() }
    }
  }

  @Test func `W1 on a machine that answers, the timeout ends once, after exactly its time`() {
    _ = start { _ in .zero }
    scheduler.advance(by: .seconds(100))
    #expect(silences.values == [.seconds(10)])
  }

  @Test func `W1 a slice in which no thread was free counts for a tenth`() {
    _ = start { slice in slice == 3 ? .seconds(2) : .zero }
    scheduler.run()
    // Ten slices that count in full, one that counts for a tenth, and one second of waiting for a thread.
    #expect(silences.values == [.seconds(12)])
  }

  @Test func `W1 on a machine that never has a thread the timeout takes ten times as long`() {
    _ = start { _ in .milliseconds(101) }
    scheduler.run()
    // A hundred slices, each with its wait for a thread.
    #expect(silences.values == [.seconds(100) + .milliseconds(101) * 100])
  }

  @Test func `W1 on a machine on which tasks never start the timeout comes to its end`() {
    let timer = HangTimer(.seconds(10), on: scheduler) { [scheduler, silences] in
      silences.append(scheduler.now)
    } startTask: { _ in
    }
    scheduler.run()
    // A hundred slices, and after each slice the same time for an answer.
    #expect(silences.values == [.seconds(200)])
    withExtendedLifetime(timer) {}
  }

  /// Starts a timer whose tasks wait for a thread that long while the process does this.
  private func start(
    _ timeout: Duration = .seconds(10), answer: Duration?,
    _ meanwhile: @escaping @Sendable (_ question: Int) -> HangTimer.Meanwhile
  ) -> HangTimer {
    let questions = Locked(0)
    return HangTimer(
      timeout, on: scheduler, judgingSlices: { .whole },
      meanwhile: {
        meanwhile(
          questions.withLock { questions in
            questions += 1
            return questions
          })
      }
    ) { [scheduler, silences] in
      silences.append(scheduler.now)
    } startTask: { [scheduler] body in
      if let answer { scheduler.schedule(after: answer) { body() } }
    }
  }

  @Test func `W1 if the process computes, a slice without a free thread counts a hundredth`() {
    let timer = start(answer: nil) { $0 <= 20 ? .computed : .idle }
    scheduler.run()
    // A first slice, twenty that count for a hundredth, and one more for its answer. Of the others each counts for a
    // tenth, and has the same time for an answer.
    #expect(silences.values == [.seconds(1 + 20 + 1 + 2 * 97)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 if the process computes without an end, the timeout comes to its end`() {
    let timer = start(answer: nil) { _ in .computed }
    scheduler.run()
    // A first slice, two hundred that count for a hundredth, and one more. Of the others 79 count for a tenth.
    #expect(silences.values == [.seconds(1 + 200 + 1 + 2 * 79)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 while other jobs have the threads, the timeout takes a hundred times as long`() {
    let timer = start(answer: nil) { $0.isMultiple(of: 150) ? .gaveOtherJobs : .computed }
    scheduler.run()
    // A first slice, and a thousand that count for a hundredth.
    #expect(silences.values == [.seconds(1 + 1000)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 a task that other jobs keep from the threads is waited for`() {
    let timer = start(answer: .milliseconds(189_500)) { _ in .gaveOtherJobs }
    scheduler.run()
    // Each time one slice that counts for a tenth, and 189 that count for a hundredth.
    #expect(silences.values == [.milliseconds(5 * 190_500 + 1_000 + 5_000)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 a task that has started shows that the threads do not compute without an end`() {
    let timer = start(answer: .milliseconds(150_500)) { _ in .computed }
    scheduler.run()
    // Each time one slice that counts for a tenth, and 150 that count for a hundredth.
    #expect(silences.values == [.milliseconds(6 * 151_500 + 1_000 + 40_000)])
    withExtendedLifetime(timer) {}
  }

  @Test func `a timer that is cancelled while it waits for a task does not fire`() {
    let timer = start(answer: .seconds(100)) { _ in .gaveOtherJobs }
    scheduler.advance(by: .seconds(50))
    timer.cancel()
    scheduler.run()
    #expect(silences.values == [])
  }

  @Test func `a slice whose answer is not late does not ask what the process does`() {
    let timer = start(.milliseconds(50), answer: nil) { _ in
      Issue.record("It was asked.")
      return .computed
    }
    scheduler.run()
    // Ten slices of five milliseconds, and after each the same time: less than the ten that an answer may take.
    #expect(silences.values == [.milliseconds(100)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 an answer within a tenth of the slice counts`() {
    _ = start { _ in .milliseconds(100) }
    scheduler.run()
    #expect(silences.values == [.seconds(11)])
  }

  /// Starts a timer on a machine that answers, but is short of processor time in those slices.
  private func start(_ timeout: Duration, shortage: @escaping @Sendable (_ slice: Int) -> Bool)
    -> HangTimer
  {
    let slices = Locked(0)
    return HangTimer(timeout, on: scheduler) {
      shortage(
        slices.withLock { slices in
          slices += 1
          return slices
        })
    } onSilence: { [scheduler, silences] in
      silences.append(scheduler.now)
    } startTask: { body in
      body()
    }
  }

  @Test func `W1 a slice in which processor time was short counts for a tenth`() {
    let timer = start(.seconds(10)) { [2, 5].contains($0) }
    scheduler.run()
    #expect(silences.values == [.seconds(12)])
    withExtendedLifetime(timer) {}
  }

  @Test func `W1 if processor time is always short, the timeout takes ten times as long`() {
    let timer = start(.seconds(10)) { _ in true }
    scheduler.run()
    #expect(silences.values == [.seconds(100)])
    withExtendedLifetime(timer) {}
  }

  @Test(arguments: [(49, 49), (50, 500)])
  func `a slice of less than five milliseconds is too short to tell`(timeout: Int, end: Int) {
    let timer = start(.milliseconds(timeout)) { _ in true }
    scheduler.run()
    #expect(silences.values == [.milliseconds(end)])
    withExtendedLifetime(timer) {}
  }

  /// Starts a timer of ten slices of a second that count so much; later ones count whole.
  private func start(_ worths: [HangTimer.Worth]) -> HangTimer {
    let left = Locked(worths)
    return HangTimer(
      .seconds(10), on: scheduler,
      judgingSlices: { left.withLock { $0.isEmpty ? .whole : $0.removeFirst() } }
    ) { [scheduler, silences] in
      silences.append(scheduler.now)
    } startTask: { body in
      body()
    }
  }

  @Test func `a slice may count for nothing, and one may begin the time again`() {
    let worths: [[HangTimer.Worth]] = [
      [], [.nothing, .nothing], [.tenth], [.whole, .whole, .restart],
      [.restart, .whole, .nothing, .restart],
    ]
    let timers = worths.map(start)
    scheduler.run()
    let ends = [10, 12, 11, 13, 14].map { Duration.seconds($0) }
    #expect(silences.values.sorted() == ends.sorted())
    withExtendedLifetime(timers) {}
  }

  @Test(arguments: [Duration.seconds(2.5), .seconds(3.5)])
  func `a timer that is cancelled, within a slice or at its end, does not fire`(instant: Duration) {
    let timer = start { slice in slice == 3 ? .seconds(2) : .zero }
    scheduler.advance(to: instant)
    timer.cancel()
    scheduler.run()
    #expect(silences.values == [])
    #expect(scheduler.pending.isEmpty)
  }
}

/// A guard that code of a simulation begins counts real time, as every guard does.
@Suite(.needs(.queues)) struct SimulatedHangTimerTests {
  @Test(.simulated) func `S4 it does not count the days that pass in the simulation`() async throws
  {
    let silences = Log<Duration?>()
    let timer = HangTimer(.seconds(600)) { silences.append(Simulation.current?.now) }
    try await Task.sleep(for: .seconds(864_000))
    #expect(silences.values == [])
    timer.cancel()
  }

  @Test(.simulated) func `S4 it ends while virtual time stands still`() async throws {
    let end = Event()
    let timer = HangTimer(.milliseconds(10)) { end.happen() }
    try await Simulation.outside { await end.wait() }
    #expect(Simulation.current?.now == .zero)
    withExtendedLifetime(timer) {}
  }
}
