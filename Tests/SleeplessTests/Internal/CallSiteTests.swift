import Sleepless
import Testing

@Suite struct CallSiteTests {
  @Test func `a call site reads as file name and line`() {
    let site = CallSite()
    #expect(site.description == "CallSiteTests.swift:\(#line - 1)")
  }
}
