import Sleepless
import Testing
import VirtualTime

@Suite struct HangTimeoutTests {
  @Test(
    arguments: [
      (nil, Duration.seconds(10)), ("60", .seconds(60)), ("0.5", .milliseconds(500)),
      ("0", .seconds(10)), ("-1", .seconds(10)), ("soon", .seconds(10)), ("nan", .seconds(10)),
      ("inf", .seconds(86_400)), ("1e300", .seconds(86_400)),
    ] as [(String?, Duration)])
  func `W1 the hang timeout is 10 s unless the environment sets another`(
    text: String?, interval: Duration
  ) {
    #expect(HangTimeout.interval(from: text) == interval)
  }
}
