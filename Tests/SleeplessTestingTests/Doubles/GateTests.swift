// virtual time: all sleeps here are in simulations
import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

@Suite struct GateTests {
  let gate = Gate<Int>("search")

  @Test func `the test sees that a call is in flight, and lets it succeed`() async throws {
    let search = Task { [gate] in try await gate("swift") }
    let call = try await gate.entered()
    #expect(call.number == 1)
    #expect(call.isInFlight)
    #expect("\(call)" == "\"swift\": in flight")
    call.succeed(with: 42)
    #expect(!call.isInFlight)
    #expect(try await search.value == 42)
  }

  @Test func `a call that enters just when the test ends, ends too`() {
    var state = GateState<Int>(ignoresCancellation: false)
    #expect(state.close() == [])
    let number = state.enter("\"swift\"", at: .zero)
    let end = state.hold(number) { _ in }
    #expect(throws: CancellationError.self) { try end?.result.get() }
  }

  @Test func `the test can let a call fail`() async throws {
    let search = Task { [gate] in try await gate("swift") }
    try await gate.entered().fail(with: Trouble.offline)
    await #expect(throws: Trouble.offline) { try await search.value }
  }

  @Test func `several calls are answered in any order`() async throws {
    let searches = Recorder<Int, Never>()
    let numbers = [10, 20, 30]
    for number in numbers {
      gate(number) { searches.record((try? $0.get()) ?? -1) }
    }
    #expect(gate.inFlight.map(\.number) == [1, 2, 3])
    try await gate.entered(2).succeed(with: 2)
    try await gate.entered(3).succeed(with: 3)
    try await gate.entered(1).succeed(with: 1)
    await searches.expect(2, 3, 1)
    #expect(gate.inFlight.isEmpty)
  }

  @Test func `the gate itself answers the call that has waited for longest`() async {
    let searches = Recorder<Int, Never>()
    for number in 1...2 { gate(number) { searches.record((try? $0.get()) ?? -1) } }
    gate.succeed(with: 10)
    gate.fail(with: Trouble.offline)
    await searches.expect(10, -1)
  }

  @Test func `calls can be read one after another, or by number`() async throws {
    for number in 1...4 { gate(number) { _ in } }
    #expect(try await gate.entered().number == 1)
    #expect(try await gate.entered(3).number == 3)
    #expect(try await gate.entered().number == 4)
    #expect(try await gate.entered(2).number == 2)
    for _ in 1...4 { gate.succeed(with: 0) }
  }

  @Test func `synchronous tests can read the calls that have entered`() throws {
    gate("swift") { _ in }
    gate("swiftly") { _ in }
    #expect(try gate.entered().number == 1)
    #expect(try gate.entered(2).number == 2)
    try gate.entered(1).succeed(with: 1)
    gate.succeed(with: 2)
  }

  @Test func `a call may be answered as soon as it is seen, by another thread`() async throws {
    for number in 0..<200 {
      let search = Task.detached { [gate] in try await gate() }
      try await gate.entered().succeed(with: number)
      #expect(try await search.value == number)
    }
  }

  @Test func `a completion handler is called on the thread that answers`() async throws {
    let name = Log<String?>()
    gate { _ in name.append(Answering.place) }
    let call = try await gate.entered()
    DispatchQueue(label: "answering").sync {
      Answering.$place.withValue("there") { call.succeed(with: 1) }
    }
    #expect(name.values == ["there"])
  }

  @Test func `each of a thousand calls is answered once`() async {
    let answers = Log<Int>()
    await withTaskGroup { group in
      for number in 0..<1000 {
        group.addTask { [gate] in answers.append((try? await gate(number)) ?? -1) }
      }
      group.addTask { [gate] in
        for number in 1...1000 { try? await gate.entered(number).succeed(with: number) }
      }
    }
    #expect(answers.values.sorted() == Array(1...1000))
  }

  @Test func `a gate can hold a function that returns nothing`() async throws {
    let gate = Gate<Void>("refresh")
    let refreshing = Task { try await gate() }
    _ = try await gate.entered()
    gate.succeed()
    try await refreshing.value
    #expect("\(gate)".hasPrefix("\"refresh\"\nSo far (now: "))
  }

  // MARK: Cancelling

  @Test func `cancelling the task ends its held call`() async throws {
    let search = Task { [gate] in try await gate("swift") }
    let call = try await gate.entered()
    let cancelling = Task { search.cancel() }
    try await call.cancelled()
    await cancelling.value
    #expect(call.isCancelled)
    #expect(!call.isInFlight)
    await #expect(throws: CancellationError.self) { try await search.value }
  }

  @Test func `a call whose task is cancelled already enters all the same`() async throws {
    let search = Task { [gate] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await gate("swift")
    }
    let call = try await gate.entered()
    try await call.cancelled()
    await #expect(throws: CancellationError.self) { try await search.value }
  }

  @Test func `a service that ignores cancellation answers all the same`() async throws {
    let gate = Gate<Int>("search", ignoresCancellation: true)
    let search = Task { try await gate("swift") }
    let call = try await gate.entered()
    search.cancel()
    try await call.cancelled()
    #expect(call.isCancelled)
    #expect(call.isInFlight)
    call.succeed(with: 42)
    #expect(try await search.value == 42)
  }

  @Test func `an answer and a cancellation at once end a call once`() async throws {
    for _ in 0..<200 {
      let gate = Gate<Int>("search", ignoresCancellation: true)
      let search = Task { try await gate() }
      let call = try await gate.entered()
      async let cancelling: Void = search.cancel()
      call.succeed(with: 1)
      await cancelling
      #expect(try await search.value == 1)
    }
  }

  // MARK: The end

  @Test func `F2 a call in flight keeps its gate, and fails the test at the end all the same`()
    async
  {
    let line = #line + 5
    let ends = Log<String>()
    let failures = await failures {
      try? await EndOfTest.check {
        // It must not outlive the check, in which it ends.
        let gate = Gate<Int>("search")
        Task { ends.append((try? await gate()) == nil ? "ended" : "answered") }
        _ = try await gate.entered()
      }
    }
    #expect(failures.map(\.line) == [line])
    #expect(
      failures.first?.text.firstLine
        == "1 call of \"search\" was still held back at the end of the test.")
    await eventually { ends.values == ["ended"] }
  }

  @Test func `after a failed wait, calls still held are no second failure`() async {
    let line = #line + 4
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(1)) {
        let gate = Gate<Int>("search")
        _ = try? await gate.entered()
        gate { _ in }
      }
    }
    #expect(failures.map(\.line) == [line])
  }

  // MARK: Simulated

  @Test(.standingStill) func `W3 a wait for a call fails at once when nothing can run any more`()
    async
  {
    let line = #line + 4
    let failures = await failures {
      try? await simulate {
        let gate = Gate<Int>("search")
        _ = try await gate.entered()
      }
    }
    #expect(failures.map(\.line) == [line])
  }

  @Test(.standingStill)
  func `W3 a wait for a cancellation fails at once when nothing can run any more`() async {
    let line = #line + 6
    let failures = await failures {
      try? await simulate {
        let gate = Gate<Int>("search")
        gate("swift") { _ in }
        let call = try await gate.entered()
        try await call.cancelled()
      }
    }
    #expect(failures.map(\.line) == [line])
    #expect(
      failures.first?.text.firstLine
        == """
        cancelled() expected a cancellation from call 1 of "search", but none came: nothing can run \
        in the simulation any more, and nothing is due.
        """)
  }

  @Test(.needs(.capture)) func `a simulation that stands still says whose answer a task waits for`()
    async
  {
    let failures = await failures {
      try? await simulate {
        let gate = Gate<Int>("search")
        _ = try await gate("swift")
      }
    }
    #expect(failures.contains { $0.text.contains("an answer of \"search\"") })
  }
}

/// Where a test answers: a thread's name cannot be read, but task-local values go with the call.
private enum Answering {
  @TaskLocal static var place: String?
}
