// virtual time: all sleeps are in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  @_spi(Benchmarks) import SleeplessSimulation
  import TestSupport
  import Testing

  /// What a block has left on the run loop of its thread when it ends.
  @Suite(.needs(.runLoops)) struct LeftRunLoopTests {
    /// What a later block sees when it runs its run loop, and the threads of the two blocks. With `isThreadTaken`, another
    /// block occupies the simulation's first thread while the timer is made.
    private static func program(isThreadTaken: Bool) async throws -> ([String], Set<UInt>) {
      let (log, threads) = (Log<String>(), Log<UInt>())
      DispatchQueue(label: "other").async {
        if isThreadTaken { Thread.sleep(forTimeInterval: 2) }
      }
      try await Task.sleep(for: .seconds(1))
      await inBlock(of: "first") {
        threads.append(UInt(pthread_self()))
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
          log.append("the timer of the first block at \(Simulation.current!.now)")
        }
      }
      try await Task.sleep(for: .seconds(9))
      await inBlock(of: "second") {
        threads.append(UInt(pthread_self()))
        let hasRun = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
        log.append("ran \(hasRun) until \(Simulation.current!.now)")
      }
      return (log.values, Set(threads.values))
    }

    private static func inBlock(of label: String, _ body: @escaping @Sendable () -> Void) async {
      await withCheckedContinuation { done in
        DispatchQueue(label: label).async {
          body()
          done.resume()
        }
      }
    }

    @Test(arguments: [false, true])
    func `a timer that a block leaves behind fires in no later block`(isThreadTaken: Bool)
      async throws
    {
      let outcome = await Simulation.run {
        try await Self.program(isThreadTaken: isThreadTaken)
      }
      let (seen, threads) = try #require(try outcome.result?.get())
      #expect(seen == ["ran false until 10.0 seconds"])
      // On two threads the second block would see nothing in any case.
      if !isThreadTaken { #expect(threads.count == 1) }
    }

    @Test func `a block for perform that a block leaves behind runs in no later block`()
      async throws
    {
      let threads = Log<UInt>()
      let outcome = await Simulation.run { () -> [String] in
        let log = Log<String>()
        await Self.inBlock(of: "first") {
          threads.append(UInt(pthread_self()))
          RunLoop.current.perform { log.append("the block of the first block") }
        }
        await Self.inBlock(of: "second") {
          threads.append(UInt(pthread_self()))
          let hasRun = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
          log.append("ran \(hasRun) until \(Simulation.current!.now)")
        }
        return log.values
      }
      let seen = try outcome.result?.get()
      #expect(seen == ["ran false until 0.0 seconds"])
      #expect(Set(threads.values).count == 1)
    }

    /// Runs one simulation after another on one thread. Each but the first has a block that runs its run loop and logs the
    /// result. `between` runs on the same thread, outside simulations, before each simulation, with its number.
    private static func runs(
      _ count: Int, first: @escaping @Sendable () -> Void = {},
      between: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> [String] {
      let log = Log<String>()
      let threads = Log<UInt>()
      let started = Log<Int>()
      await Simulation.runSeries(isolation: nil) {
        await inBlock(of: "a queue") {
          threads.append(UInt(pthread_self()))
          if started.values.count == 1 { first() }
        }
        if started.values.count == 1 { return }
        await inBlock(of: "another queue") {
          let hasRun = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
          log.append("ran \(hasRun) until \(Simulation.current!.now)")
        }
      } options: { _ in
        threads.append(UInt(pthread_self()))
        let number = started.values.count
        guard number < count else { return nil }
        between(number)
        started.append(number)
        return Simulation.Options()
      }
      #expect(Set(threads.values).count == 1)
      return log.values
    }

    @Test func `a timer left behind by a simulation fires in no later one on the thread`() async {
      let log = Log<String>()
      let runs = await Self.runs(3) {
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in log.append("fires") }
      }
      #expect(runs == ["ran false until 0.0 seconds", "ran false until 0.0 seconds"])
      #expect(log.values == [])
    }

    @Test
    func `a real timer that code outside leaves on the thread changes no run in a simulation`()
      async
    {
      let timer = Log<Kept>()
      let runs = await Self.runs(
        3,
        between: { number in
          if number == 2 { timer.append(makeRealTimer()) }
        })
      for timer in timer.values { timer.timer.invalidate() }
      #expect(runs == ["ran false until 0.0 seconds", "ran false until 0.0 seconds"])
    }
  }

  private func makeRealTimer() -> Kept {
    let timer = Timer(timeInterval: 86_400, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    return Kept(timer: timer)
  }

  private struct Kept: @unchecked Sendable { let timer: Timer }
#endif
