import Sleepless
import Testing

@Suite struct CallSiteTests {
  @Test func `a call site reads as file name and line`() {
    let site = CallSite()
    #expect(site.description == "CallSiteTests.swift:\(#line - 1)")
  }

  @Test func `a file outside of all folders keeps its name`() {
    let site = CallSite(fileID: "main.swift", filePath: "main.swift", line: 3, column: 1)
    #expect(site.description == "main.swift:3")
  }

  @Test func `call sites are equal when file, line and column are`() {
    let site = CallSite(fileID: "A/a.swift", filePath: "/A/a.swift", line: 3, column: 1)
    let others = [
      CallSite(fileID: "A/a.swift", filePath: "/B/a.swift", line: 3, column: 1),
      CallSite(fileID: "A/a.swift", filePath: "/A/a.swift", line: 4, column: 1),
      CallSite(fileID: "A/a.swift", filePath: "/A/a.swift", line: 3, column: 2),
    ]
    let same = CallSite(fileID: "A/a.swift", filePath: "/A/a.swift", line: 3, column: 1)
    #expect(site == same)
    #expect(!others.contains(site))
  }
}
