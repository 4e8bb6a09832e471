import SleeplessTesting
import Testing

@Suite struct ReporterTests {
  @Test func `a reporter remembers where its helper was made`() {
    let site = CallSite()
    #expect(Reporter(at: site).site == site)
  }
}
