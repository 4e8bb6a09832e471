import SleeplessSimulation
import Testing

@Suite struct SourceExcerptTests {
  @Test func `the lines of the steps are shown, with the next ones and the few between them`() {
    let excerpt = excerpt(
      of: [("Cart.swift", 2), ("Cart.swift", 5), ("Cart.swift", 11), ("Shop.swift", 1)],
      files: [
        "Cart.swift": """
        func pay() async {
          guard !isPaid else { return }

          let card = await wallet.card
          \tawait bank.charge(card)
          \tisPaid = true
          print("paid")
        }

        func refund() async {
            await bank.refund()
            print("refunded")

            print("done")
        }
        """,
        "Shop.swift": "    await cart.pay()",
      ])
    #expect(
      excerpt.lines(width: 80) == [
        "Cart.swift",
        "    2  guard !isPaid else { return }",
        "    3",
        "    4  let card = await wallet.card",
        "    5    await bank.charge(card)",
        "    6    isPaid = true",
        "   11    await bank.refund()",
        "   12    print(\"refunded\")",
        "Shop.swift",
        "    1  await cart.pay()",
      ])
  }

  @Test func `a long line takes several, and other characters than those of ASCII become a sign`() {
    let excerpt = excerpt(
      of: [("Cart.swift", 1), ("Cart.swift", 2)],
      files: ["Cart.swift": "{\n  greet(\"Zoë\", at: counter, with: await flowers.bought)"])
    #expect(
      excerpt.lines(width: 40) == [
        "Cart.swift",
        "    1  {",
        "    2    greet(\"Zo?\", at: counter,",
        "           with: await flowers.bought)",
      ])
  }

  @Test func `a file that is gone or has become shorter has no lines`() {
    let excerpt = excerpt(
      of: [("Gone.swift", 1), ("Short.swift", 7)], files: ["Short.swift": "one\ntwo"])
    #expect(excerpt.lines(width: 80) == [])
  }

  @Test func `of many lines those near the switches and the end are shown`() {
    let excerpt = excerpt(
      of: (1...40).map { ("Long.swift", $0 * 10) }, switchAt: 20,
      files: ["Long.swift": (1...400).map { "line \($0)" }.joined(separator: "\n")])
    let numbers = [
      10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 200, 210, 220, 380, 390, 400,
    ]
    #expect(
      excerpt.lines(width: 80).filter { $0.hasSuffix("0") }
        .map { String($0.split(separator: " ").last!) } == numbers.map { "\($0)" })
  }

  @Test func `the source comes from the file itself`() throws {
    let content = try #require(SourceExcerpt.content(of: #filePath))
    #expect(content.hasPrefix("import SleeplessSimulation\n"))
    #expect(SourceExcerpt.content(of: #filePath + ".gone") == nil)
  }

  /// The excerpt of a schedule in which tasks take one step each, at these lines.
  private func excerpt(
    of lines: [(file: String, line: Int)], switchAt switched: Int? = nil, files: [String: String]
  ) -> SourceExcerpt {
    let trace = SampleTrace.trace(
      names: lines.indices.map { "task \($0)" },
      lines.indices.map { index in
        index == switched
          ? SampleTrace.step([0, index], chosen: 1, defaultIndex: 0) : SampleTrace.step([index])
      })
    let rows = ScheduleRows(trace) { step in
      let line = lines[step.candidate.task!]
      return [
        CodeFrame(
          function: "f()", line: SourceLine(path: "/src/\(line.file)", number: line.line))
      ]
    } function: { _ in
      nil
    }
    return SourceExcerpt(of: rows.rows.indices.map(ScheduleRows.Shown.row), in: rows) {
      files[String($0.dropFirst("/src/".count))]
    }
  }
}
