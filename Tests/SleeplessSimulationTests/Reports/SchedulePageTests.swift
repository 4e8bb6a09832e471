import SleeplessSimulation
import Testing

@Suite struct SchedulePageTests {
  private var page: String {
    SchedulePage(
      SampleTrace.rows(SampleTrace.cancellation), title: "a <reader> & its \"letters\"",
      notes: ["Replay: 1abc"], ending: "a deadlock"
    ).html
  }

  @Test func `the text of the page contains the whole schedule`() {
    let body = page[page.firstRange(of: "<main>")!.lowerBound...]
    let text = body.replacing(/<svg>.*?<\/svg>/, with: "").replacing(/<[^>]+>/, with: "")
      .split(separator: "\n").map { $0.replacing(/^ +/, with: "") }.joined(separator: "\n")
    #expect(
      text == """
        a &lt;reader&gt; &amp; its &quot;letters&quot;
        Replay: 1abc
        Tasks
        the body
        1 &quot;reader&quot; runs Mailbox.next(_:), made by the body, at 0 s
        task 2 runs closure at Mail.swift:20 in Mailbox.next(_:), made by the body, at 0 s
        3 &quot;alarm clock&quot; runs Clock.ring(at:) at Mail.swift:7, made by task 2, at 0 s
        Schedule
        Time runs down. switch marks a step that is not the default: the latest task, else the one that has waited longest.
        the body1 &quot;reader&quot;task 23 &quot;alarm clock&quot;
        0 s the body Tests.readsLetters, makes 1 &quot;reader&quot;, task 2
        0 s switch task 2 starts, at Mail.swift:20, makes 3 &quot;alarm clock&quot;, ends
        0 s 1 &quot;reader&quot; starts, Mailbox.next, wakes the body
        0 s 3 &quot;alarm clock&quot; starts, Clock.ring at Mail.swift:7, sleeps until 1 s
        1 s 3 &quot;alarm clock&quot; Clock.ring at Mail.swift:7, wakes the body, ends
        1 s switch 1 &quot;reader&quot; Mailbox.next, ends
        1 s the body ends
        ✗ a deadlock
        """)
  }

  @Test func `the page loads no files and runs no scripts`() {
    for word in ["http", "src=", "href=", "url(", "<script", "@import"] {
      #expect(!page.contains(word), "\(word)")
    }
  }

  @Test func `the page fits a phone and has dark colours`() {
    #expect(page.contains("name=\"viewport\" content=\"width=device-width, initial-scale=1\""))
    #expect(page.contains("@media (prefers-color-scheme: dark)"))
    #expect(page.contains("<html lang=\"en\">"))
  }

  @Test func `each task has a line from its creation to its end`() {
    let lines = page.split(separator: "\n").filter { $0.contains("<svg>") }
      .map { $0.matches(of: /class="life l(\d)"/).map(\.1).joined() }
    #expect(lines == ["012", "0123", "013", "013", "013", "01", "0"])
  }

  @Test func `with many tasks the texts are not inside the lanes`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 9, rounds: 20))
    let page = SchedulePage(rows, title: "many").html
    #expect(!page.contains("@media (min-width"))
    #expect(self.page.contains("@media (min-width: 820px)"))
  }
}
