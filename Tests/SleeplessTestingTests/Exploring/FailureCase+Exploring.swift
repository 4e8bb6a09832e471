// virtual time: everything here runs in simulations
import Foundation
import SleeplessTesting
import TestSupport

extension FailureCase {
  /// Explorations that fail or cannot begin, each with the text that is not the simulation's.
  static let exploring = [
    FailureCase(
      "an error that some schedules throw", at: #line + 13,
      reads: """
        Schedule 1 of 1000 fails: the error "Overdrawn()" was thrown. To replay it: \
        explore(replay: "…") { ... }, or in the environment SLEEPLESS_REPLAY=…
        Its steps:
        FAILS: the error "Overdrawn()" was thrown
        A line is where a task goes on; it runs up to its next await.
        > marks a step that is not the default: the latest task,
        else the one that has waited longest.
        1 schedule ran. Found by the strategy first come, with 6 switches, shrunk to \
        1; seed 0.
        """
    ) {
      _ = try? await explore {
        if await spendTwice() < 0 { throw Overdrawn() }
      }
    },
    FailureCase(
      "no schedules", at: #line + 5,
      reads: """
        schedules must be 1 or more (was 0). Nothing was run.
        A test that explores nothing would pass whatever it does. Pass 1 or more.
        """
    ) { _ = try? await explore(schedules: 0) {} },
    FailureCase(
      "less than no schedules", at: #line + 5,
      reads: """
        schedules must be 1 or more (was -3). Nothing was run.
        A test that explores nothing would pass whatever it does. Pass 1 or more.
        """
    ) { _ = try? await explore(schedules: -3) {} },
    FailureCase(
      "no steps", at: #line + 5,
      reads: """
        stepLimit must be 1 or more (was 0). Nothing was run.
        It limits the jobs and moves of time of each schedule.
        """
    ) { _ = try? await explore(stepLimit: 0) {} },
    FailureCase(
      "an empty replay string", at: #line + 5,
      reads: """
        replay is no replay string: it is empty (was ""). Nothing was run.
        Copy it from the failure as a whole, or explore without it.
        """
    ) { _ = try? await explore(replay: "") {} },
    FailureCase(
      "something else for a replay string", at: #line + 6,
      reads: """
        replay is no replay string: it begins with "s", and this version of Sleepless reads those \
        that begin with 1 or c (was "seed 7"). Nothing was run.
        Copy it from the failure as a whole, or explore without it.
        """
    ) { _ = try? await explore(replay: "seed 7") {} },
    FailureCase(
      "a replay string with a foreign character", at: #line + 5,
      reads: """
        replay is no replay string: "!" occurs in no replay string (was "1AAA!"). Nothing was run.
        Copy it from the failure as a whole, or explore without it.
        """
    ) { _ = try? await explore(replay: "1AAA!") {} },
    FailureCase(
      "half a replay string", at: #line + 5,
      reads: """
        replay is no replay string: something is missing or was changed (was "1AAA"). Nothing was run.
        Copy it from the failure as a whole, or explore without it.
        """
    ) { _ = try? await explore(replay: "1AAA") {} },
    FailureCase(
      "another test's replay string", at: #line + 6,
      reads: """
        The replay string "…" belongs to another test. Nothing was run.
        It fits only the test that printed it, with the same arguments; a renamed test is another test. \
        Explore without it.
        """
    ) { _ = try? await explore(replay: foreign) {} },
    FailureCase(
      "a shard that there is not", at: #line + 6,
      reads: """
        SLEEPLESS_SHARD in the environment must be i/n, such as 3/8, with i from 1 to n (was "9/8"). \
        Nothing was run.
        Unset it, or correct it.
        """
    ) { await exploreNothing(SimulationSettings(), ["SLEEPLESS_SHARD": "9/8"]) },
    FailureCase(
      "a number of schedules in words", at: #line + 6,
      reads: """
        SLEEPLESS_SCHEDULES in the environment must be a number, 1 or more (was "many"). Nothing was \
        run.
        Unset it, or correct it.
        """
    ) { await exploreNothing(SimulationSettings(), ["SLEEPLESS_SCHEDULES": "many"]) },
    FailureCase(
      "a seed that is no number", at: #line + 6,
      reads: """
        SLEEPLESS_SEED in the environment must be a number, or the word random (was "-1"). Nothing \
        was run.
        Unset it, or correct it.
        """
    ) { await exploreNothing(SimulationSettings(), ["SLEEPLESS_SEED": "-1"]) },
    FailureCase(
      "no time", at: #line + 6,
      reads: """
        SLEEPLESS_TIME_BUDGET in the environment must be seconds, more than 0 (was "0"). Nothing was \
        run.
        Unset it, or correct it.
        """
    ) { await exploreNothing(SimulationSettings(), ["SLEEPLESS_TIME_BUDGET": "0"]) },
    FailureCase(
      "a replay string in the environment that is none", at: #line + 6,
      reads: """
        SLEEPLESS_REPLAY is no replay string: something is missing or was changed (was "1"). Nothing \
        was run.
        Copy it from the failure as a whole, or explore without it.
        """
    ) { await exploreNothing(SimulationSettings(), ["SLEEPLESS_REPLAY": "1"]) },
    FailureCase(
      "a test that takes other steps each time", at: #line + 9, needs: .capture,
      reads: """
        This test is not deterministic, so its schedules cannot be explored: two runs in the same \
        order differ from step 2 on. The first run ended a sleep of the body at 3 s, the second ended \
        a sleep of the body at 4 s.
        \(causes)
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        try await Task.sleep(for: .seconds(runs.values.count))
      }
    },
    FailureCase(
      "a test that passes only once in a process", at: #line + 9,
      reads: """
        This test passes only once in a process, so its schedules cannot be explored: the first run \
        passed, and the second did not, though it took the same order (the error "Overdrawn()" was thrown).
        The first run has left something behind: in a static variable, a singleton, a file or a \
        database. Make what the test needs within the test, so that each run begins afresh.
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        if runs.values.count > 1 { throw Overdrawn() }
      }
    },
    FailureCase(
      "a schedule that passes only once", at: #line + 8,
      reads: """
        Schedule 2 passed, and failed when it was run again in the same order (the error "Overdrawn()" was \
        thrown), so this test's schedules cannot be explored.
        \(causes)
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        if runs.values.count == 4 { throw Overdrawn() }
      }
    },
    FailureCase(
      "schedules that leave state behind", at: #line + 10,
      reads: """
        Schedule 3 failed (the error "Overdrawn()" was thrown), and its order is not the reason: schedule 1 \
        fails now too, which passed before (the error "Overdrawn()" was thrown).
        Earlier schedules have left something behind: in a static variable, a singleton, a file or a \
        database, or the test draws random numbers. Make what the test needs within the test, so that each \
        schedule begins afresh. There is no replay string, because a schedule that runs alone may pass.
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        if runs.values.count >= 5 { throw Overdrawn() }
      }
    },
    FailureCase(
      "schedules that leave state behind that some orders meet", at: #line + 10,
      reads: """
        Schedule 9 failed (the error "Overdrawn()" was thrown), and its order is not the reason: schedule 4 \
        fails now too, which passed before (the error "Overdrawn()" was thrown).
        Earlier schedules have left something behind: in a static variable, a singleton, a file or a \
        database, or the test draws random numbers. Make what the test needs within the test, so that each \
        schedule begins afresh. There is no replay string, because a schedule that runs alone may pass.
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        let names = Log<String>()
        async let one: Void = names.append("one")
        async let two: Void = names.append("two")
        _ = await (one, two)
        if runs.values.count > 12, names.values == ["two", "one"] { throw Overdrawn() }
      }
    },
    FailureCase(
      "a schedule that does not fail again", at: #line + 8,
      reads: """
        Schedule 3 failed (the error "Overdrawn()" was thrown), and passed when it was run again. Both \
        took the same steps.
        \(causes)
        """
    ) {
      let runs = Log<Int>()
      _ = try? await soonExplored {
        runs.append(1)
        if runs.values.count == 5 { throw Overdrawn() }
      }
    },
    FailureCase(
      "a task of a global variable that only the first schedule makes", at: #line + 11,
      needs: .capture,
      reads: """
        Schedule 1 failed (something left over), and passed when it was run again. Both took the same steps.
          The body has ended (at 0 s), but 1 task has not:
            task 1 "consumer" of the global variable Inbox.shared: suspended since 0 s
          The rest of their work is not tested. Await them, cancel them, start them in \
        Simulation.background { ... } if they are meant to live on, or allow it with allowing: .suspendedTasks.
        \(causes)
        """
    ) {
      _ = try? await soonExplored { _ = Inbox.shared }
    },
    FailureCase(
      "a deadlock at a task of a global variable that only the first schedule makes",
      at: #line + 19, needs: .capture,
      reads: """
        Schedule 1 failed (a deadlock), and passed when it was run again. Both took the same \
        steps.
          The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
        not ended.
            the body: suspended since 0 s
            task 1 "consumer" of the global variable Inbox.awaited: suspended since 0 s
          This is usually a continuation that is never resumed, a stream that is never finished, \
        or tasks that wait for each other.
          Threads and the network are not simulated; the simulation waits 500 ms for them. \
        Inject a double there, or run the call in Simulation.outside { ... }.
        Something outside the simulation decides the order: a Set or Dictionary, Date(), UUID(), \
        random numbers, work on a queue or thread that the simulation does not control, or what \
        an earlier run left in a static variable or a file. SWIFT_DETERMINISTIC_HASHING=1 in the \
        environment fixes the order of sets; Simulation.randomNumbers() gives numbers that are \
        the same each time.
        """
    ) {
      _ = try? await soonExplored { await Inbox.awaited.consumer.value }
    },
    FailureCase(
      "an exploration within a simulation", at: #line + 9,
      reads: """
        explore was called inside a simulation. The body now runs once, as part of that: same time, \
        same order.
        Schedules cannot be explored within one: remove the trait .simulated or .explored of the test, or \
        make its SimulatedTestCase an XCTestCase.
        """
    ) {
      _ = try? await simulate {
        try await explore {}
      }
    },
    FailureCase(
      "an invariant that does not hold to begin with", at: #line + 7,
      reads: """
        The invariant "nothing is owed" does not hold at the start.
        It must hold from this call on. Call Simulation.invariant when everything is set up.
        """
    ) {
      try? await simulate {
        Simulation.invariant("nothing is owed") { false }
      }
    },
    FailureCase(
      "an invariant that a step breaks", at: #line + 8, needs: .capture,
      reads: """
        The invariant "nothing is owed" held until step 2, at 0 s, which broke it: task 1 "rent"
        It was true after every step before. The cause is the code that this task ran in that step.
        """
    ) {
      try? await simulate {
        let balance = Locked(1)
        Simulation.invariant("nothing is owed") { balance.withLock { $0 >= 0 } }
        await Task(name: "rent") { balance.withLock { $0 -= 2 } }.value
      }
    },
    FailureCase(
      "an invariant outside a simulation", at: #line + 6,
      reads: """
        Simulation.invariant was called outside a simulation.
        Give the test the trait .simulated, or run the code in simulate { ... }. Code on a \
        thread of its own, or on a queue that the simulation does not control, is outside as well.
        """
    ) { Simulation.invariant("none") { true } },
    FailureCase(
      "random numbers outside a simulation", at: #line + 6,
      reads: """
        Simulation.randomNumbers() was called outside a simulation.
        Give the test the trait .simulated, or run the code in simulate { ... }. Code on a \
        thread of its own, or on a queue that the simulation does not control, is outside as well.
        """
    ) { _ = Simulation.randomNumbers() },
    FailureCase(
      "exploring in a cancelled task", at: #line + 8,
      reads: """
        explore was called in a task that was cancelled before. Nothing was run.
        The body would run cancelled as well. Call explore in a task that is not cancelled.
        """
    ) {
      await withTaskGroup(of: Void.self) { group in
        group.cancelAll()
        group.addTask { _ = try? await explore {} }
      }
    },
    FailureCase(
      "cancelling nowhere", at: #line + 5,
      reads: """
        limit must be 1 or more (was 0). Nothing was run.
        It limits the number of suspensions at which the body is cancelled.
        """
    ) { _ = try? await exploreCancellation(limit: 0) {} },
    FailureCase(
      "cancelling before anything", at: #line + 5,
      reads: """
        at must be 1 or more (was 0). Nothing was run.
        It is the number of the suspension at which the body is cancelled; the first is 1.
        """
    ) { _ = try? await exploreCancellation(at: 0) {} },
    FailureCase(
      "cancelling within a simulation", at: #line + 8,
      reads: """
        exploreCancellation was called inside a simulation. Nothing was run.
        It makes one simulation after another itself; remove the trait .simulated or .explored of the \
        test.
        """
    ) {
      _ = try? await simulate {
        try await exploreCancellation {}
      }
    },
  ]

  private static let foreign =
    ReplayString(test: 7, timingSeed: nil, deviations: [], fingerprint: 7).text

  private static let causes = """
    Something outside the simulation decides the order: a Set or Dictionary, Date(), UUID(), random \
    numbers, work on a queue or thread that the simulation does not control, or what an earlier run left \
    in a static variable or a file. SWIFT_DETERMINISTIC_HASHING=1 in the environment fixes the order of sets; \
    Simulation.randomNumbers() gives numbers that are the same each time.
    """
}

struct Overdrawn: Error {}

/// Explores a body; failures point at the caller's line.
private func soonExplored(
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column, _ body: @escaping () async throws -> Void
) async throws {
  try await explore(
    strategy: .uniform, fileID: fileID, filePath: filePath, line: line, column: column, body)
}

func exploreNothing(
  _ simulation: SimulationSettings, _ environment: [String: String]
) async {
  let settings = ExplorationSettings(simulation: simulation)
  _ = try? await explore(settings, ExplorationEnvironment(environment)) {}
}

extension Failure {
  /// The same without the rows of the schedule, whose functions and lines differ with the optimiser.
  var withoutTable: Failure {
    var failure = self
    failure.text = text.replacing(#/Its steps:\n[\s\S]*?\nFAILS:/#, with: "Its steps:\nFAILS:")
      .replacing(#/Its lines:\n[\s\S]*?\n(?=1 schedule|\d+ schedules)/#, with: "")
    return failure
  }

  /// The string that replays it.
  var replay: String? {
    text.firstMatch(of: #/SLEEPLESS_REPLAY=(\S+)/#).map { String($0.1) }
  }

  /// What failed and the schedule, to what its marks mean.
  var table: String {
    text.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
  }

  /// The part of an exploration's failure that is the same in each run: without the replay string, the
  /// functions and the rows.
  var explored: Failure {
    withoutReplay.withoutFunctions.withoutTable
  }

  /// The same with `…` for replay strings, which differ with the test's name.
  var withoutReplay: Failure {
    var failure = self
    failure.text = text.replacing(#/(SLEEPLESS_REPLAY=|replay: "|string ")[1c][A-Za-z0-9_-]{8,}/#) {
      "\($0.1)…"
    }
    return failure
  }
}

/// A global variable whose task waits for ever.
private final class Inbox: Sendable {
  static let shared = Inbox()
  static let awaited = Inbox()
  let consumer: Task<Void, Never>
  private let letters = AsyncStream.makeStream(of: Int.self)

  private init() {
    consumer = Task(name: "consumer") { [letters] in for await _ in letters.stream {} }
  }
}
