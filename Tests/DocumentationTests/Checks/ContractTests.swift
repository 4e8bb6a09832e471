import Testing

@Suite struct ContractTests {
  @Test func `every contract is the name of a test`() throws {
    let tests = try TextFile.all(under: "Tests", ending: ".swift")
    let proven = Set(tests.flatMap(Contract.numbers))
    #expect(Contract.due.filter { !proven.contains($0) } == [], "these have no test yet")
  }

  @Test(arguments: [
    "  @Test func `T1 time never moves back`() {", "@Test func `T1: never back`() {",
    "  func testT1_timeNeverMovesBack() {", "  func test_T1_timeNeverMovesBack() async throws {",
  ])
  func `a test whose name begins with the number counts`(line: String) {
    #expect(numbers(in: line) == ["T1"])
  }

  @Test(arguments: [
    "@Test func `time never moves back, T1`() {", "  // @Test func `T1 time`() {",
    "  func testT1Time() {", "  func `T`() {", "  #expect(numbers(in: \"func `T1 time`() {\"))",
  ])
  func `other words do not count`(line: String) {
    #expect(numbers(in: line) == [])
  }

  @Test func `a number is read to its end`() {
    #expect(numbers(in: "func `T10 pending work is listed`() {") == ["T10"])
  }

  @Test func `a test inside a literal is a fixture and does not count`() {
    #expect(numbers(in: "let program = \"\"\"\n  func `T1 time`() {}\n  \"\"\"") == [])
  }

  private func numbers(in text: String) -> Set<String> {
    Contract.numbers(in: TextFile(path: "T.swift", text: text))
  }
}
