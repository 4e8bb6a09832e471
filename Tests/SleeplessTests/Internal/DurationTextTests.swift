import Sleepless
import Testing

@Suite struct DurationTextTests {
  private static let texts: [(Duration, String)] = [
    (Duration.seconds(3), "3 s"), (.milliseconds(1500), "1.5 s"), (.milliseconds(-300), "-300 ms"),
    (.nanoseconds(2), "2 ns"), (.seconds(Int64.max), "9223372036854775807 s"),
    (.seconds(Int64.min), "-9223372036854775808 s"),
    (.seconds(Int64.max) + .milliseconds(1500), "9.223372036854776e+18 s"),
    (.seconds(Int64.min) - .seconds(1), "-9.223372036854776e+18 s"),
    (.forever, "1.7014118346046924e+20 s"),
  ]

  @Test(arguments: texts)
  func `every duration has a text, also one with more seconds than an Int64 holds`(
    duration: Duration, text: String
  ) {
    #expect(duration.shortDescription == text)
  }
}
