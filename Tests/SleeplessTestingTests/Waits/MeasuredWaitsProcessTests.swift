import Foundation
import TestSupport
import Testing

// Each test starts the fixture as a new process with SLEEPLESS_WAITS, which measures from the load of the process on.
// Only in debug builds: in others functions are inlined, and places then have the names of those around them.
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && DEBUG
  @Suite(.serialized, .timeLimit(.minutes(10)), .needs(.blockingCalls))
  struct MeasuredWaitsProcessTests {
    private let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("waits-\(UUID().uuidString).json").path

    /// What a run has written, as text: each test with its waits, without times and lines.
    private func waits(_ path: String) throws -> [String: [String]] {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let json = try JSONDecoder().decode(Written.self, from: data)
      return Dictionary(
        uniqueKeysWithValues: json.tests.map { ($0.test, $0.waits.map(\.text).sorted()) })
    }

    /// The waits of no test, as text.
    private func waitsWithoutTest(_ path: String) throws -> [String] {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      return try JSONDecoder().decode(Written.self, from: data).withoutTest.map(\.text)
    }

    /// The names of the files that a run has written for its tests.
    private func files(_ path: String) throws -> Set<String> {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let json = try JSONDecoder().decode(Written.self, from: data)
      return Set(json.tests.map { String($0.file.split(separator: "/").last ?? "") })
    }

    private struct Written: Decodable {
      struct Test: Decodable {
        let test: String
        let file: String
        let seconds: Double
        let waited: Double
        let waits: [Wait]
      }

      struct Wait: Decodable {
        let file: String
        let function: String
        let kind: String
        let count: Int
        let seconds: Double
        var text: String { "\(kind) in \(function) of \(file.split(separator: "/").last!)" }
      }

      let tests: [Test]
      let withoutTest: [Wait]
      let unfinished: [String]
    }

    @Test func `waits of XCTest are measured by kind, place and test`() async throws {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.xctest(
        "measured-waits", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      let place = "of MeasuredWaits.swift"
      let tests = "MeasuredWaitsTests"
      #expect(
        try waits(file) == [
          "\(tests).testExpectation": [
            "asyncAfter in \(tests).testExpectation() \(place)",
            "expectation in \(tests).testExpectation() \(place)",
          ],
          "\(tests).testFulfillment": [
            "asyncAfter in \(tests).testFulfillment() \(place)",
            "expectation in \(tests).testFulfillment() \(place)",
          ],
          "\(tests).testInverted": ["expectation in \(tests).testInverted() \(place)"],
          "\(tests).testThreads": [
            "thread sleep in \(tests).testThreads() \(place)",
            "thread sleep in sleepThread() \(place)",
          ],
          "\(tests).testSemaphoreAndGroup": [
            "dispatch group in \(tests).testSemaphoreAndGroup() \(place)",
            "semaphore in \(tests).testSemaphoreAndGroup() \(place)",
            "thread sleep in sleepThread() \(place)",
          ],
          "\(tests).testTimer": [
            "semaphore in \(tests).testTimer() \(place)",
            "semaphore in \(tests).testTimer() \(place)",
            "timer in \(tests).testTimer() \(place)",
          ],
          "\(tests).testCondition": ["condition variable in \(tests).testCondition() \(place)"],
          "\(tests).testRunLoop": [
            "run loop in \(tests).testRunLoop() \(place)",
            "run loop in \(tests).testRunLoop() \(place)",
            "run loop in \(tests).testRunLoop() \(place)",
          ],
          "\(tests).testPolling": ["polling loop in \(tests).testPolling() \(place)"],
          "\(tests).testCalm": [],
        ], "\(run.output)")
      // That of a test which does not wait is not known.
      #expect(try files(file) == ["MeasuredWaits.swift", ""])
    }

    @Test func `waits of Swift Testing are measured, but none in simulations`() async throws {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaits/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      let place = "of MeasuredWaits.swift"
      let suite = "MeasuredWaits"
      #expect(
        try waits(file) == [
          "\(suite).sleeps": ["Task.sleep in \(suite).sleeps() \(place)"],
          "\(suite).sleepsInTwoCases": [
            "Task.sleep in \(suite).sleepsInTwoCases(case:) \(place)"
          ],
          "\(suite).sleepsInAnActor": ["Task.sleep in Sleeper.sleep() \(place)"],
          "\(suite).waitsForADelayedCall": [
            "asyncAfter in closure #1 in \(suite).waitsForADelayedCall() \(place)"
          ],
          "\(suite).doesNotWaitForADelayedCall": [],
          "\(suite).waitsForAThreadThatSleeps": ["thread sleep in sleepThread() \(place)"],
          "\(suite).cancelsASleep": [],
          "\(suite).cancelsManySleeps": [],
          "\(suite).sleepsInAnExpectation": [
            "Task.sleep in closure #2 in \(suite).sleepsInAnExpectation() \(place)"
          ],
          "\(suite).leavesASleepBehind": [],
          "\(suite).pollsByYielding": ["polling loop in \(suite).pollsByYielding() \(place)"],
          "\(suite).pollsBySleeping": ["polling loop in \(suite).pollsBySleeping() \(place)"],
          "\(suite).doesNotWait": [],
          "\(suite).sleepsInASimulation": [],
        ], "\(run.output)")
    }

    @Test func `the table comes last, and names places and times`() async throws {
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInOrder/", environment: ["SLEEPLESS_WAITS": "1"])
      let table = try #require(run.output.range(of: "\nSleepless: "))
      #expect(
        run.output[table.lowerBound...].replacing(#/ *\d+(\.\d+)? m?s\b/#, with: " T") == """

          Sleepless: where the tests of Swift Testing waited

               time    waited
           T T  MeasuredWaitsInOrder.a toast é goes away
           T    Task.sleep, Tests/Fixtures/ReportingFixture/MeasuredWaits.swift:88, MeasuredWaitsInOrder.`a toast é goes away`()

          1 of 2 tests waited T of T.
          What to write instead: SLEEPLESS_WAITS=waits.json swift test, and then
          swift package find-waits --with waits.json

          """)
    }

    @Test func `a trait that waits for each case counts for its test, before all cases for none`()
      async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInTraits/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      let place = "provideScope(for:testCase:performing:) of MeasuredCases.swift"
      #expect(
        try waits(file) == [
          "MeasuredWaitsInTraits.hasATraitForEachCase": [
            "Task.sleep in SleepsForEachCase.\(place)"
          ],
          "MeasuredWaitsInTraits.hasATraitForAllCases": [],
        ], "\(run.output)")
      // That after all cases is not listed.
      #expect(try waitsWithoutTest(file) == ["Task.sleep in SleepsForAllCases.\(place)"])
    }

    @Test func `repetitions of a test are added up, and do not count as side by side`() async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "MeasuredRepetitions/", environment: ["SLEEPLESS_WAITS": file],
        options: ["--repetitions", "3"])
      #expect(run.status == 0, "\(run.output)")
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      let tests = try JSONDecoder().decode(Written.self, from: data).tests
      let counts = tests.map { "\($0.test.split(separator: ".").last!) \($0.waits.map(\.count))" }
      #expect(counts.sorted() == ["calm []", "sleeps [3]", "sleepsInEachCase [6]"])
      for test in tests {
        let pause = test.test.hasSuffix(".sleeps") ? 0.12 : 0.11
        let sum = Double(test.waits.map(\.count).reduce(0, +)) * pause
        #expect(test.waited >= sum && test.seconds >= test.waited, "\(test)")
      }
      #expect(run.output.contains(/\n2 of 3 tests waited \S+ s of \S+ s\.\n/), "\(run.output)")
    }

    @Test func `a crash in a later case of a test names the test, with the waits of all cases`()
      async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "InterruptedCases/",
        environment: ["SLEEPLESS_WAITS": file, "SWIFT_BACKTRACE": "enable=no"])
      #expect(run.status == 6)
      var written: Written?
      try await until {
        let data = try? Data(contentsOf: URL(fileURLWithPath: file))
        written = data.flatMap { try? JSONDecoder().decode(Written.self, from: $0) }
        return written != nil
      }
      #expect(written?.unfinished == ["InterruptedCases.crashesInItsSecondCase"])
      #expect(written?.tests.map { $0.waits.map(\.count) } == [[2]])
    }

    @Test
    func `a sleep that ends before its task waits for it does not last until the next wait ends`()
      async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "MeasuredMoments/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      let waits = try JSONDecoder().decode(Written.self, from: data).tests.flatMap(\.waits)
      let delayed = waits.first { $0.kind == "asyncAfter" }?.seconds ?? 0
      let slept = waits.filter { $0.kind != "asyncAfter" }.map(\.seconds).max() ?? 0
      // A sleep that seemed to last until its task's delayed call would take nearly as long as these.
      #expect(delayed >= 0.2 && slept < delayed - 0.1, "\(run.output)")
    }

    @Test func `the process of an exit test is no wait, and reports nothing`() async throws {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "MeasuredExits/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      #expect(try waits(file) == ["MeasuredExits.waitsForAnotherProcess": []], "\(run.output)")
      #expect(run.output.matches(of: #/Sleepless: /#).count == 1, "\(run.output)")
    }

    @Test(arguments: ["exit", "crash", "kill", "terminate"])
    func `a process that ends too early still gets its report`(end: String) async throws {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun(
        ["xctest", "interrupted-waits", end],
        environment: ["SLEEPLESS_WAITS": file, "SWIFT_BACKTRACE": "enable=no"])
      #expect(run.status == ["exit": 3, "crash": 6, "kill": 9, "terminate": 15][end])
      // Only `exit` lets the process wait for the report, so the output of the others may still be empty.
      var waits: [String: [String]]?
      try await until {
        waits = try? self.waits(file)
        return waits != nil
      }
      let sleep = "thread sleep in sleepThread() of MeasuredWaits.swift"
      #expect(
        waits == [
          "InterruptedWaitsTests.testBefore": [sleep],
          "InterruptedWaitsTests.testInterrupted": [sleep],
        ])
      if end == "exit" {
        let text =
          "The process ended while these tests ran: InterruptedWaitsTests.testInterrupted.\n"
        #expect(run.output.contains(text), "\(run.output)")
      }
    }

    /// Waits for another process, whose end nothing announces.
    private func until(_ condition: () throws -> Bool) async throws {
      // real time: a process that this one has not started itself
      while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test func `tests see no child process and no variable`() async throws {
      let run = try await FixtureRun(
        ["xctest", "interrupted-waits", "fork"], environment: ["SLEEPLESS_WAITS": "1"])
      #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: ["", "1"])
    func `a memory check names the path through a timer's handler, measured or not`(
      setting: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting(
        "TimerLeaks/",
        environment: ["SLEEPLESS_WAITS": setting, "SLEEPLESS_GUARD_SECONDS": "0.3"])
      let path = "Ticker.timer -> DispatchSource -> Ticker"
      #expect(
        run.swiftTestingFailures.map { $0.message.contains(path) } == [true], "\(run.output)")
    }

    @Test func `both frameworks write one file, and another run begins it anew`() async throws {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let setting = ["SLEEPLESS_WAITS": file]
      try "{\"version\":1,\"run\":\"1-1\",\"tests\":[],\"withoutTest\":[],\"unfinished\":[\"old\"]}"
        .write(toFile: file, atomically: true, encoding: .utf8)
      _ = try await FixtureRun(["xctest", "interrupted-waits", "fork"], environment: setting)
      _ = try await FixtureRun.swiftTesting("MeasuredWaitsInOrder/", environment: setting)
      #expect(
        try waits(file).keys.sorted() == [
          "InterruptedWaitsTests.testAfter", "InterruptedWaitsTests.testBefore",
          "InterruptedWaitsTests.testInterrupted", "MeasuredWaitsInOrder.a toast é goes away",
          "MeasuredWaitsInOrder.calm",
        ])
      #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("old"))
    }

    @Test(arguments: [
      ("/no/folder/waits.json", "No such file or directory"),
      ("/dev/full", "No space left on device"),
    ])
    func `a file that cannot be written is named with the reason, and the run is not failed`(
      path: String, reason: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInOrder/calm", environment: ["SLEEPLESS_WAITS": path])
      #expect(run.status == 0)
      #expect(
        run.output.hasSuffix(
          """
          Sleepless: \(path) cannot be written: \(reason). Set SLEEPLESS_WAITS to 1, or to another path.

          """), "\(run.output)")
    }

    @Test func `a limit that keeps waits from being measured is named, and the tests run`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInOrder/calm", environment: ["SLEEPLESS_WAITS": "1"], limit: "-f 1000")
      #expect(run.status == 0, "\(run.output)")
      #expect(
        run.output.split(separator: "\n").filter { $0.hasPrefix("Sleepless: ") } == [
          """
          Sleepless: waits are not measured: ftruncate: File too large. Raise the limit (ulimit -a lists \
          them), or unset SLEEPLESS_WAITS.
          """
        ])
    }

    @Test func `a definition that stands before this library's is named, and the tests run`()
      async throws
    {
      let program = FileManager.default.temporaryDirectory
        .appendingPathComponent("fixture-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: program) }
      try FileManager.default.copyItem(at: try #require(FixtureRun.executable), to: program)
      try hideDefinition("swift_task_localValuePush", of: program)
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInOrder/", environment: ["SLEEPLESS_WAITS": "1"], executable: program)
      #expect(run.status == 0, "\(run.output)")
      #expect(
        run.output.split(separator: "\n").filter { $0.hasPrefix("Sleepless: ") } == [
          """
          Sleepless: waits are not measured: another library defines swift_task_localValuePush. \
          Unset SLEEPLESS_WAITS.
          """
        ])
    }

    /// Gives a program's own definition of a function another name, so that the loader finds that of a library. The
    /// names for the loader are the first in the file.
    private func hideDefinition(_ name: String, of program: URL) throws {
      let data = try Data(contentsOf: program, options: .alwaysMapped)
      let found = try #require(data.range(of: Data("\0\(name)\0".utf8)))
      let handle = try FileHandle(forUpdating: program)
      try handle.seek(toOffset: UInt64(found.upperBound - 2))
      try handle.write(contentsOf: Data("_".utf8))
      try handle.close()
    }

    @Test func `a run without tests prints no table and writes no file`() async throws {
      let run = try await FixtureRun.swiftTesting(
        "NoSuchSuite/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.output.contains("Test run with 0 tests"), "\(run.output)")
      #expect(!run.output.contains("Sleepless: "), "\(run.output)")
      #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: ["", "0"])
    func `without the variable nothing is printed`(setting: String) async throws {
      let run = try await FixtureRun.swiftTesting(
        "MeasuredWaitsInOrder/calm", environment: ["SLEEPLESS_WAITS": setting])
      #expect(!run.output.contains("Sleepless"), "\(run.output)")
    }
  }
#endif
