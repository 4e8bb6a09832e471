// virtual time: all sleeps here are in simulations
import Dispatch
import SleeplessTesting
import Testing
import TestSupport

@Suite struct SpyTests {
  @Test func `a spy starts with no call`() {
    let spy = Spy<Int>()
    #expect(spy.count == 0)
    #expect(spy.last == nil)
    #expect(spy.all == [])
  }

  @Test func `calls are kept in order with their virtual times`() {
    let scheduler = TestScheduler()
    let spy = Spy<String>("save", time: .of(scheduler))
    spy("Ada")
    scheduler.advance(by: .seconds(2))
    spy("Tom")
    #expect(spy.count == 2)
    #expect(spy.last == "Tom")
    #expect(spy.arguments == ["Ada", "Tom"])
    #expect(
      spy.all == [
        SpyCall(arguments: "Ada", time: .zero), SpyCall(arguments: "Tom", time: .seconds(2)),
      ])
    #expect("\(spy.all[1])" == "\"Tom\" at 2 s")
  }

  @Test func `a spy records functions with no, one and several arguments`() throws {
    let none = Spy<Void>()
    none()
    let list = Spy<[Int]>()
    list([1, 2])
    let optional = Spy<Int?>()
    optional(nil)
    let several = Spy<(Int, String)>()
    several(1, "one")
    let labelled = Spy<(id: Int, name: String)>()
    labelled((id: 1, name: "one"))
    #expect(none.count == 1)
    #expect(list.last == [1, 2])
    #expect(optional.last == .some(nil))
    #expect(try #require(several.last) == (1, "one"))
    #expect(labelled.last?.name == "one")
  }

  @Test func `properties read no call, next reads one call after another`() throws {
    let spy = Spy<Int>("spy", allowsUnread: false)
    spy(1)
    spy(2)
    #expect(spy.arguments == [1, 2])
    #expect(try spy.next() == 1)
    #expect(spy.last == 2)
    #expect(try spy.next() == 2)
  }

  @Test func `next waits for a call`() async throws {
    let spy = Spy<Int>()
    let calling = Task { spy(7) }
    #expect(try await spy.next() == 7)
    await calling.value
  }

  @Test func `a spy's recorder reads whole sequences`() async {
    let spy = Spy<Int>()
    let calling = Task { for number in 1...3 { spy(number) } }
    await spy.recorder.expect(1, 2, 3)
    await calling.value
  }

  @Test func `calls from many threads are all kept`() {
    let spy = Spy<Int>()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<1000 { spy(thread * 1000 + number) }
    }
    #expect(spy.arguments.sorted() == Array(0..<8000))
  }

  @Test func `F2 a call after the end of its test fails that test`() async {
    let line = #line + 4
    let failures = await failures {
      let kept = Log<Spy<Int>>()
      try? await EndOfTest.check {
        kept.append(Spy<Int>("save", time: .of(TestScheduler())))
      }
      await Task.detached { kept.values[0](7) }.value
    }
    #expect(failures.map(\.line) == [line])
    #expect(
      failures.first?.text.firstLine == "\"save\" was called after its test had ended, with 7.")
  }

  @Test func `a call wakes a wait for a condition`() async {
    let spy = Spy<Int>()
    let calling = Task.detached { for number in 1...3 { spy(number) } }
    await eventually { spy.arguments == [1, 2, 3] }
    await calling.value
  }

  @Test func `a spy's description lists its calls`() {
    let spy = Spy<Int>("save", time: .of(TestScheduler()))
    spy(1)
    #expect("\(spy)" == "\"save\"\nSo far (now: 0 s):\n  1  0 s  1")
  }

  @Test(.needs(.capture), .simulated) func `in a simulation the times are the simulation's`()
    async throws
  {
    let spy = Spy<Int>()
    Task {
      try await Task.sleep(for: .seconds(3))
      spy(1)
    }
    _ = try await spy.next()
    #expect(spy.all == [SpyCall(arguments: 1, time: .seconds(3))])
  }

  @Test(.standingStill) func `W3 a wait for a call fails at once when nothing can run any more`()
    async
  {
    let line = #line + 4
    let failures = await failures {
      try? await simulate {
        let spy = Spy<Int>("save")
        _ = try await spy.next()
      }
    }
    #expect(failures.map(\.line) == [line])
    #expect(
      failures.first?.text.firstLine
        == """
        next() expected a call from "save", but none came: nothing can run in the simulation any \
        more, and nothing is due.
        """)
  }
}
