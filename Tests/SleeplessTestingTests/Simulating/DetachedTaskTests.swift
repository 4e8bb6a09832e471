// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// A detached task of a simulated test knows its test, and no task-local value that the program has
/// bound.
@Suite(.timeLimit(.minutes(10))) struct DetachedTaskTests {
  @TaskLocal private static var context = "none"

  /// The ways to make a detached task.
  enum Way: CaseIterable {
    case body, task, detached, child, actor, mainActor, named, immediate, afterwards

    func run(_ code: @escaping @Sendable () async -> Void) async {
      switch self {
      case .body: await Task.detached { await code() }.value
      case .task: await Task { await Task.detached { await code() }.value }.value
      case .detached: await Task.detached { await Task.detached { await code() }.value }.value
      case .child:
        await withTaskGroup { group in
          group.addTask { await Task.detached { await code() }.value }
        }
      case .actor: await Starter().start(code).value
      case .mainActor:
        await Task { @MainActor in await Task.detached { await code() }.value }.value
      case .named: await Task.detached(name: "named", priority: .low) { await code() }.value
      case .immediate: await Task.immediateDetached { await code() }.value
      case .afterwards:
        Task.detached {
          try? await Task.sleep(for: .seconds(1))
          await code()
        }
        await settle()
      }
    }
  }

  @Test(.needs(.capture), arguments: Way.allCases)
  func `S9 a failure in a detached task of an exploration is that schedule's`(
    way: Way
  ) async throws {
    let test = try #require(Test.current)
    let line = #line + 4
    let body = { @Sendable () async throws -> Void in
      let isOvertaken = await spendTwice() < 0
      await way.run {
        #expect(!isOvertaken)
      }
    }
    let found = await failures { try? await ExploredTrait.explored.explore(body, for: test) }
    #expect(found.map(\.line) == [line, test.sourceLocation.line])
    let first = "Schedule 1 of 1000 fails: a failure at DetachedTaskTests.swift:\(line). "
    #expect(found.last?.text.hasPrefix(first) == true)

    let replay = found.last?.replay ?? ""
    let again = await failures {
      try? await ExploredTrait.explored(replay: replay).explore(body, for: test)
    }
    #expect(again.map(\.line) == [line, test.sourceLocation.line])
    #expect(again.last?.replay == replay)
  }

  @Test(.needs(.capture), arguments: Way.allCases)
  func `S9 a failure in a detached task is its test's, however the test is simulated`(
    way: Way
  ) async throws {
    let test = try #require(Test.current)
    let line = #line + 2
    let body = { @Sendable () async throws -> Void in
      await way.run { #expect(Bool(false)) }
    }
    let explored = await failures { _ = try? await explore(body) }
    let cancelled = await failures { _ = try? await exploreCancellation(body) }
    let function = await failures { _ = try? await simulate(body) }
    let trait = await failures { try? await SimulatedTrait.simulated.simulate(body, for: test) }
    #expect(
      [explored, cancelled, function, trait].map { $0.first?.line } == [line, line, line, line])
    #expect([explored, cancelled, function, trait].map(\.count) == [2, 1, 1, 1])
  }

  @Test(.needs(.capture), arguments: Way.allCases)
  func `a detached task does not see values bound later`(way: Way) async throws {
    try await simulate {
      await Self.$context.withValue("the program's") {
        await way.run {
          #expect(Self.context == "none")
          #expect(Test.current != nil)
          await Self.$context.withValue("its own") {
            await Task { #expect(Self.context == "its own") }.value
            await Task.detached { #expect(Self.context == "none") }.value
          }
        }
      }
    }
  }

  @Test(.needs(.capture)) func `a detached task sees values bound around the simulation`()
    async throws
  {
    try await Self.$context.withValue("the test's") {
      try await explore(schedules: 3) {
        await Task.detached { #expect(Self.context == "the test's") }.value
      }
    }
  }

  @Test(.needs(.capture)) func `each schedule's detached tasks belong to its own end`() async throws
  {
    let ends = Log<ObjectIdentifier>()
    let test = try #require(Test.current)
    let body = { @Sendable () async throws -> Void in
      let end = EndOfTest.current.map(ObjectIdentifier.init)
      await Task.detached { #expect(EndOfTest.current.map(ObjectIdentifier.init) == end) }.value
      ends.append(try #require(end))
    }
    try await explore(schedules: 3, body)
    try await SimulatedTrait.simulated.simulate(body, for: test)
    // The first two schedules of three run twice, to be compared; and then there is the simulated test.
    #expect(ends.values.count == 6)
  }

  @Test(.needs(.capture)) func `detached tasks keep their priority and name and are not counted`()
    async throws
  {
    try await simulate(externalResumptions: .failed) {
      await Task(priority: .high) {
        await Task.detached { #expect(Task.basePriority == .medium) }.value
        await Task.detached(name: "a name", priority: .low) {
          #expect(Task.name == "a name")
        }.value
      }.value
    }
    let exploration = try await explore(strategy: .exhaustive) { await Task.detached {}.value }
    #expect(exploration.description == "1 schedule explored, it passed; the strategy has no other")
  }

  @Test(.needs(.capture), arguments: ["simulate", "explore", "cancelled", "deadlock"])
  func `values are released when the simulation is over`(kind: String) async throws {
    let test = try #require(Test.current)
    await expectDeallocated {
      let object = Object()
      let failures = await failures {
        await Self.$object.withValue(object) {
          switch kind {
          case "simulate": _ = try? await simulate { await Way.detached.run {} }
          case "explore": _ = try? await explore(schedules: 20) { await Way.detached.run {} }
          case "cancelled": _ = try? await exploreCancellation { await Way.detached.run {} }
          default:
            try? await SimulatedTrait.simulated.simulate(
              {
                await Task.detached { for await _ in AsyncStream<Int>.makeStream().stream {} }.value
              }, for: test)
          }
        }
      }
      #expect(failures.count == (kind == "deadlock" ? 1 : 0))
      return object
    }
  }

  private final class Object: Sendable {}
  @TaskLocal private static var object: Object?
}

private actor Starter {
  func start(_ code: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task.detached { await code() }
  }
}

final class DetachedTaskXCTests: FailureCatchingTestCase {
  func testS9AFailureInADetachedTaskIsItsSchedules() async {
    let line = #line + 4
    let failures = await failures {
      _ = try? await explore {
        let isOvertaken = await spendTwice() < 0
        await Task.detached { XCTAssertFalse(isOvertaken) }.value
      }
    }
    XCTAssertEqual(failures.map(\.line), [line, line - 2])
    let first = "Schedule 1 of 1000 fails: a failure at DetachedTaskTests.swift:\(line). "
    XCTAssertEqual(failures.last?.text.hasPrefix(first), true)
  }
}
