import AsyncAlgorithms
import SleeplessTesting
import Testing

/// What comes out of an operator, and when.
private struct Output: Equatable {
  let text: String
  let instant: Duration

  init(_ text: String, at instant: Duration) {
    self.text = text
    self.instant = instant
  }
}

@Suite struct OperatorTests {
  private let clock = TestClock()
  private let feed = Feed<String>()

  @Test func `debounce waits on virtual time`() async throws {
    let (outputs, output) = AsyncStream<Output>.makeStream()
    let task = Task {
      for await text in feed.debounce(for: .milliseconds(300), clock: clock) {
        output.yield(Output(text, at: clock.now.offset))
      }
      output.finish()
    }
    await feed.waitForDemand()
    await feed.send("s")
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(299))
    await feed.send("sw")
    // At 300 ms the first sleep is over; the operator finds the newer text and sleeps on.
    await clock.advance(by: .milliseconds(1))
    await clock.waitForSleepers()
    #expect(clock.sleepers.map(\.deadline) == [.milliseconds(599)])
    await clock.advance(by: .milliseconds(299))
    var iterator = outputs.makeAsyncIterator()
    #expect(await iterator.next() == Output("sw", at: .milliseconds(599)))
    feed.finish()
    #expect(await iterator.next() == nil)
    await task.value
  }

  @Test func `throttle reads virtual time`() async {
    let task = Task {
      var outputs: [Output] = []
      for await text in feed._throttle(for: .seconds(1), clock: clock, latest: true) {
        outputs.append(Output(text, at: clock.now.offset))
      }
      return outputs
    }
    await feed.waitForDemand()
    await feed.send("a")
    await clock.advance(by: .milliseconds(500))
    await feed.send("b")
    await clock.advance(by: .milliseconds(600))
    await feed.send("c")
    await feed.send("d")
    feed.finish()
    // The last text keeps its distance, too.
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    let outputs = await task.value
    #expect(
      outputs == [
        Output("a", at: .zero), Output("c", at: .milliseconds(1100)),
        Output("d", at: .milliseconds(2100)),
      ])
  }
}
