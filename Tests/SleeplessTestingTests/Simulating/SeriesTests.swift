// virtual time: everything here runs in simulations
import Dispatch
@_spi(Benchmarks) import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

/// Many simulations of one body on one driver.
@Suite struct SeriesTests {
  /// Asks for as many simulations as there are seeds, and writes down what came of them.
  private final class Seeds: Sendable {
    private let seeds: Locked<[UInt64]>
    let outcomes = Log<String>()

    init(_ seeds: some Sequence<UInt64>) { self.seeds = Locked(Array(seeds)) }

    func next(after previous: Simulation.Outcome<String>?) -> Simulation.Options? {
      if let previous {
        let result = previous.result.map { "\($0)" } ?? "nothing"
        outcomes.append("\(result) at \(previous.report.elapsed), \(previous.report.ending)")
      }
      let seed = seeds.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return seed.map { seed in
        var options = Simulation.Options(order: .shuffled(seed: seed))
        options.timeout = .milliseconds(200)
        return options
      }
    }
  }

  @Test(.needs(.capture))
  func `each simulation is new, and its outcome comes before the next begins`() async {
    let seeds = Seeds(1...3)
    let runs = Log<Int>()
    await Simulation.runSeries {
      runs.append(seeds.outcomes.values.count)
      try await Task.sleep(for: .seconds(5))
      return "slept"
    } options: {
      seeds.next(after: $0)
    }
    #expect(runs.values == [0, 1, 2])
    #expect(
      seeds.outcomes.values
        == Array(repeating: "success(\"slept\") at 5.0 seconds, finished", count: 3))
  }

  @Test func `a schedule is the same in a series and alone`() async {
    for seed: UInt64 in 1...20 {
      let program: @Sendable () async -> [Int] = {
        let log = Log<Int>()
        await withTaskGroup { group in
          for number in 0..<5 { group.addTask { log.append(number) } }
        }
        return log.values
      }
      let options = Simulation.Options(order: .shuffled(seed: seed))
      let alone = await Simulation.run(options, program)
      let inSeries = Log<[Int]>()
      await Simulation.runSeries(program) { previous in
        if let previous { inSeries.append((try? previous.result?.get()) ?? []) }
        return inSeries.values.count < 3 ? options : nil
      }
      #expect(try! inSeries.values == Array(repeating: alone.result!.get(), count: 3))
    }
  }

  @Test(.needs(.capture)) func `bodies have the caller's task-local values`() async {
    let seeds = Seeds(1...2)
    await Label.$current.withValue("ours") {
      await Simulation.runSeries {
        await Task { Label.current }.value
      } options: {
        seeds.next(after: $0)
      }
    }
    #expect(
      seeds.outcomes.values
        == Array(repeating: "success(\"ours\") at 0.0 seconds, finished", count: 2))
  }

  @Test func `cancelling the caller cancels the body and ends the series`() async {
    let seeds = Seeds(1...3)
    let caller = Locked<Task<Void, Never>?>(nil)
    let begun = Log<Void>()
    let (known, mayBegin) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in known {}
      await Simulation.runSeries {
        begun.append(())
        caller.withLock { $0 }?.cancel()
        return Task.isCancelled ? "cancelled" : "not cancelled"
      } options: {
        seeds.next(after: $0)
      }
    }
    caller.withLock { $0 = task }
    mayBegin.finish()
    await task.value
    #expect(begun.values.count == 1)
    #expect(seeds.outcomes.values == ["success(\"cancelled\") at 0.0 seconds, finished"])
  }

  @Test func `a job that keeps its thread ends the series`() async {
    let seeds = Seeds(1...3)
    let gate = ThreadSignal()
    await HangTimeout.$shortened.withValue(.milliseconds(300)) {
      await Simulation.runSeries {
        hold(gate)
        return "let go"
      } options: {
        seeds.next(after: $0)
      }
    }
    gate.send()
    #expect(seeds.outcomes.values == ["nothing at 0.0 seconds, threadBlocked"])
  }
}

/// Blocks its thread, as no job should.
private func hold(_ gate: ThreadSignal) {
  gate.wait()  // real time: the test needs a blocked thread
}

private enum Label {
  @TaskLocal static var current = "nobody's"
}
