// virtual time: every program here runs in simulations
import AsyncAlgorithms
import SleeplessTesting
import Testing

/// Programs with other people's operators, nothing injected: they sleep on the real clock.
private struct Program: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// What comes out, and when.
  let outputs: [Output]
  /// How long it takes.
  let duration: Duration
  let run: @Sendable () async throws -> [Output]
}

private struct Output: Equatable, CustomStringConvertible {
  let text: String
  let instant: Duration

  init(_ text: String, at milliseconds: Int) {
    self.text = text
    instant = .milliseconds(milliseconds)
  }

  /// What comes out now, by the clock that the program sees.
  init(_ text: String, since start: ContinuousClock.Instant) {
    self.text = text
    instant = start.duration(to: .now)
  }

  var description: String { "\(text) at \(instant)" }
}

/// Elements that come at certain times, in milliseconds; the end comes with the last unless it comes
/// later.
private func typing(
  _ elements: [(at: Int, text: String)], until end: Int = 0
) -> AsyncStream<String> {
  let (stream, input) = AsyncStream<String>.makeStream()
  Task {
    let start = ContinuousClock.now
    for (time, text) in elements {
      try await Task.sleep(until: start + .milliseconds(time), clock: .continuous)
      input.yield(text)
    }
    try await Task.sleep(until: start + .milliseconds(end), clock: .continuous)
    input.finish()
  }
  return stream
}

private let programs = [
  Program(
    testDescription: "debounce",
    outputs: [Output("swi", at: 700), Output("swift", at: 1600)], duration: .milliseconds(2000)
  ) {
    let texts = typing(
      [(0, "s"), (200, "sw"), (400, "swi"), (1200, "swif"), (1300, "swift")], until: 2000)
    let start = ContinuousClock.now
    var outputs: [Output] = []
    for await text in texts.debounce(for: .milliseconds(300)) {
      outputs.append(Output(text, since: start))
    }
    return outputs
  },
  Program(
    testDescription: "throttle",
    outputs: [Output("a", at: 0), Output("c", at: 1100), Output("d", at: 2500)],
    duration: .milliseconds(2500)
  ) {
    let texts = typing([(0, "a"), (500, "b"), (1100, "c"), (2500, "d")])
    let start = ContinuousClock.now
    var outputs: [Output] = []
    for await text in texts._throttle(for: .seconds(1)) {
      outputs.append(Output(text, since: start))
    }
    return outputs
  },
  Program(
    testDescription: "merge",
    outputs: [
      Output("1", at: 100), Output("a", at: 150), Output("2", at: 200), Output("3", at: 300),
      Output("b", at: 350),
    ],
    duration: .milliseconds(350)
  ) {
    let digits = typing([(100, "1"), (200, "2"), (300, "3")])
    let letters = typing([(150, "a"), (350, "b")])
    let start = ContinuousClock.now
    var outputs: [Output] = []
    for await text in merge(digits, letters) { outputs.append(Output(text, since: start)) }
    return outputs
  },
  Program(
    testDescription: "AsyncChannel: a send waits for a slow reader",
    outputs: [
      Output("sent 0", at: 0), Output("received 0", at: 0), Output("received 1", at: 250),
      Output("sent 1", at: 250), Output("received 2", at: 500), Output("sent 2", at: 500),
    ],
    duration: .milliseconds(750)
  ) {
    let channel = AsyncChannel<Int>()
    let start = ContinuousClock.now
    let log = RunLog()
    Task {
      for number in 0..<3 {
        await channel.send(number)
        await log.append(Output("sent \(number)", since: start))
      }
      channel.finish()
    }
    for await number in channel {
      await log.append(Output("received \(number)", since: start))
      try await Task.sleep(for: .milliseconds(250))
    }
    return await log.outputs
  },
  Program(
    testDescription: "AsyncTimerSequence",
    outputs: [Output("tick", at: 100), Output("tick", at: 200), Output("tick", at: 300)],
    duration: .milliseconds(300)
  ) {
    let start = ContinuousClock.now
    var outputs: [Output] = []
    for await _ in AsyncTimerSequence(interval: .milliseconds(100), clock: .continuous).prefix(3) {
      outputs.append(Output("tick", since: start))
    }
    return outputs
  },
]

private actor RunLog {
  private(set) var outputs: [Output] = []

  func append(_ output: Output) { outputs.append(output) }
}

@Suite struct SimulatedTests {
  @Test(arguments: programs) fileprivate func `values come at exact virtual times`(
    program: Program
  ) async throws {
    try await simulate(externalResumptions: .failed) {
      let outputs = try await program.run()
      #expect(outputs == program.outputs)
      #expect(Simulation.current?.now == program.duration)
    }
  }

  @Test(arguments: programs) fileprivate func `a seed gives the same steps every time`(
    program: Program
  ) async throws {
    for seed: UInt64 in 1...5 {
      let options = Simulation.Options(order: .shuffled(seed: seed))
      let first = await Simulation.run(options, program.run)
      for _ in 1..<200 {
        let outcome = await Simulation.run(options, program.run)
        try #require(try outcome.result?.get() == first.result?.get(), "seed \(seed)")
        try #require(outcome.report.steps == first.report.steps, "seed \(seed)")
        try #require(outcome.report.elapsed == program.duration, "seed \(seed)")
      }
      try await simulate(order: options.order, checksDeterminism: true) {
        _ = try await program.run()
      }
    }
  }
}
