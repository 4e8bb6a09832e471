// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  import Glibc

  /// The clocks of Dispatch, of C and of Foundation show the virtual time of a simulation (S10).
  @Suite(.needs(.clocks)) struct ClockTests {
    @Test(.needs(.dates)) func `S10 clocks move with virtual time, and stand still with it`()
      async throws
    {
      let outcome = await Simulation.run {
        let before = (clockReadings(), clockReadings())
        try await Task.sleep(for: .seconds(86_400))
        return (before, (clockReadings(), clockReadings()))
      }
      let (before, after) = try #require(try outcome.result?.get())
      #expect(before.0 == before.1)
      #expect(after.0 == after.1)
      for (name, reading) in after.0 {
        let difference = try reading - #require(before.0[name])
        #expect(abs(difference - 86_400) < 1e-5, "\(name): \(difference)")
      }
    }

    @Test(.needs(.dates), arguments: [0, 86_400])
    func `S10 clocks count from the start of the simulation, also if they are first read later`(
      seconds: Int
    ) async throws {
      let before = clockReadings().mapValues { $0 + Double(seconds) }
      let outcome = await Simulation.run {
        try await Task.sleep(for: .seconds(seconds))
        return clockReadings()
      }
      let first = try #require(try outcome.result?.get())
      let after = clockReadings().mapValues { $0 + Double(seconds) }
      // The raw clock shows the one that the system corrects.
      for (name, reading) in first where name != "CLOCK_MONOTONIC_RAW" {
        // The coarse clocks lag behind by a tick of the system.
        #expect(try reading >= #require(before[name]) - 0.05, "\(name)")
        #expect(try reading <= #require(after[name]) + 0.05, "\(name)")
      }
    }

    @Test(.needs(.dates)) func `the clocks of one kind agree`() async throws {
      let outcome = await Simulation.run {
        try await Task.sleep(for: .seconds(5))
        return clockReadings()
      }
      let readings = try #require(try outcome.result?.get())
      let kinds = [
        ["CLOCK_REALTIME", "CLOCK_REALTIME_COARSE", "DispatchWallTime.now()", "Date()"],
        ["CLOCK_MONOTONIC", "CLOCK_MONOTONIC_COARSE", "CLOCK_MONOTONIC_RAW", "DispatchTime.now()"],
      ]
      for kind in kinds {
        let values = try kind.map { try #require(readings[$0]) }
        // Dates count from 2001 as floating-point numbers.
        #expect(values.allSatisfy { abs($0 - values[0]) < 1e-6 }, "\(kind): \(values)")
      }
    }

    @Test(.needs(.dates)) func `S4 code outside simulations sees real clocks meanwhile`()
      async throws
    {
      let outcome = await Simulation.run {
        _ = clockReadings()
        try await Task.sleep(for: .seconds(86_400))
        let inside = clockReadings()
        let outside = try await Simulation.current!.outside { clockReadings() }
        return (inside, outside)
      }
      let (inside, outside) = try #require(try outcome.result?.get())
      for (name, reading) in inside {
        #expect(try reading - #require(outside[name]) > 86_000, "\(name)")
      }
    }

    @Test(.needs(.dates)) func `S4 Foundation's own code sees real dates meanwhile`() async throws {
      let outcome = await Simulation.run {
        let before = Date()
        try await Task.sleep(for: .seconds(864_000))
        return (Date().timeIntervalSince(before), NSDate().timeIntervalSince(before))
      }
      let (shown, real) = try #require(try outcome.result?.get())
      #expect(abs(shown - 864_000) < 1e-3)
      #expect(real < 86_400)
    }

    @Test(.needs(.dates)) func `S4 a thread of the program's own sees real clocks meanwhile`()
      async throws
    {
      let outcome = await Simulation.run {
        let inside = clockReadings()
        try await Task.sleep(for: .seconds(864_000))
        // Not the continuation's value: the thread sanitizer does not see that a resumption orders the two threads.
        let outside = Locked<[String: Double]>([:])
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            outside.withLock { $0 = clockReadings() }
            continuation.resume()
          }
        }
        return (inside, outside.withLock { $0 })
      }
      let (inside, outside) = try #require(try outcome.result?.get())
      for (name, reading) in inside {
        #expect(try #require(outside[name]) - reading < 86_400, "\(name)")
      }
    }

    @Test func `processor time is real`() async throws {
      let outcome = await Simulation.run {
        try await Task.sleep(for: .seconds(86_400))
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec
      }
      let seconds = try #require(try outcome.result?.get())
      #expect(seconds < 86_400)
    }

    // MARK: Deadlines

    @Test(.needs(.queues)) func `S10 a stored deadline is exact, although time has passed since`()
      async throws
    {
      let outcome = await Simulation.run {
        let log = Log<String>()
        let deadline = DispatchTime.now() + 10
        let wallDeadline = DispatchWallTime.now() + 20
        let (queue, semaphore) = (DispatchQueue(label: "stored"), DispatchSemaphore(value: 0))
        try await Task.sleep(for: .seconds(4))
        let now = { @Sendable in "\(Simulation.current!.now)" }
        queue.asyncAfter(deadline: deadline) { log.append("block \(now())") }
        queue.asyncAfter(wallDeadline: wallDeadline) { log.append("wall \(now())") }
        _ = DispatchTime.now()
        #expect(Self.wait(for: semaphore, until: deadline) == .timedOut)
        log.append("wait \(now())")
        #expect(Self.wait(for: semaphore, until: deadline) == .timedOut)
        log.append("again \(now())")
        try await Task.sleep(for: .seconds(60))
        return log.values.sorted()
      }
      let events = try #require(try outcome.result?.get())
      #expect(
        events == [
          "again 10.0 seconds", "block 10.0 seconds", "wait 10.0 seconds", "wall 20.0 seconds",
        ])
    }

    private static func wait(
      for semaphore: DispatchSemaphore, until deadline: DispatchTime
    ) -> DispatchTimeoutResult {
      semaphore.wait(timeout: deadline)
    }

    @Test(.needs(.queues)) func `a deadline that was made before the simulation is kept`()
      async throws
    {
      let deadline = DispatchTime.now() + 3600
      let outcome = await Simulation.run {
        await withCheckedContinuation { continuation in
          DispatchQueue(label: "earlier").asyncAfter(deadline: deadline) { continuation.resume() }
        }
        return Simulation.current!.now
      }
      let end = try #require(try outcome.result?.get())
      #expect(end > .seconds(3500) && end <= .seconds(3600))
    }

    @Test(.needs(.queues)) func `S4 a queue outside gets a deadline in real time`() async throws {
      var options = Simulation.Options()
      options.dispatch = .outside
      let outcome = await Simulation.run(options) {
        _ = DispatchTime.now()
        try await Task.sleep(for: .seconds(86_400))
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in
          // In real time this would be a day from now if the deadline were not changed.
          DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
            continuation.resume()
          }
        }
        return ContinuousClock.now - start
      }
      #expect(try outcome.result?.get() == .zero)
    }
  }
#endif
