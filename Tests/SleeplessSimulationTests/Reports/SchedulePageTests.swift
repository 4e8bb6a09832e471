import SleeplessSimulation
import Testing

@Suite struct SchedulePageTests {
  private var page: String {
    SchedulePage(
      SampleTrace.rows(SampleTrace.cancellation), title: "a <reader> & its \"letters\"",
      notes: ["Replay: 1abc"], ending: "a standstill"
    ).html
  }

  @Test func `its text alone tells all of it`() {
    let body = page[page.firstRange(of: "<main>")!.lowerBound...]
    let text = body.replacing(/<svg>.*?<\/svg>/, with: "").replacing(/<[^>]+>/, with: "")
      .split(separator: "\n").map { $0.replacing(/^ +/, with: "") }.joined(separator: "\n")
    #expect(text == "")
  }

  @Test func `it loads nothing and runs nothing`() {
    for word in ["http", "src=", "href=", "url(", "<script", "@import"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test func `it fits a phone and follows the reader's colours`() {
    #expect(page.contains("name=\"viewport\" content=\"width=device-width, initial-scale=1\""))
    #expect(page.contains("@media (prefers-color-scheme: dark)"))
    #expect(page.contains("<html lang=\"en\">"))
  }

  @Test func `each task has a line from its making to its end`() {
    let lines = page.split(separator: "\n").filter { $0.contains("<svg>") }
      .map { $0.matches(of: /class="life l(\d)"/).map(\.1).joined() }
    #expect(lines == [])
  }

  @Test func `with many tasks there are no lanes side by side`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 9, rounds: 20))
    let page = SchedulePage(rows, title: "many").html
    #expect(!page.contains("@media (min-width"))
    #expect(self.page.contains("@media (min-width: 820px)"))
  }
}
