import SleeplessSimulation
import Testing

@Suite struct SchedulePageTests {
  private var page: String {
    SchedulePage(
      SampleTrace.rows(SampleTrace.cancellation), title: "a <reader> & its \"letters\"",
      failure: "Expectation failed: (letters → 0) > 1", replay: "SLEEPLESS_REPLAY=1abc",
      notes: ["Found by chance."], ending: "a deadlock"
    ).html
  }

  /// What the page says without scripts.
  private func text(of page: String) -> String {
    let body = page[page.firstRange(of: "<main>")!.lowerBound...]
    return body.replacing(/<script>[\s\S]*?<\/script>/, with: "").replacing(
      /<svg>.*?<\/svg>/, with: ""
    )
    .replacing(/<button[^>]* hidden>.*?<\/button>/, with: "").replacing(/<[^>]+>/, with: "")
    .split(separator: "\n").map { $0.trimmingPrefix(/\ +/).replacing(/\ +$/, with: "") }
    .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  @Test func `the text of the page contains the whole schedule`() {
    #expect(
      text(of: page) == """
        a &lt;reader&gt; &amp; its &quot;letters&quot;
        Failure
        Expectation failed: (letters → 0) &gt; 1
        Replay
        SLEEPLESS_REPLAY=1abc
        Found by chance.
        Tasks
        the body
        1 &quot;reader&quot; runs Mailbox.next(_:), made by the body, at 0 s
        task 2 runs closure at Mail.swift:20 in Mailbox.next(_:), made by the body, at 0 s
        3 &quot;alarm clock&quot; runs Clock.ring(at:) at Mail.swift:7, made by task 2, at 0 s
        Schedule
        Time runs down. A line is where a task goes on; it runs up to its next await. switch marks a step that is not the default: the latest task, else the one that has waited longest.
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

    let source = (1...20).map { $0 == 7 ? "ring(<bell>)" : "" }.joined(separator: "\n")
    let page = SourceExcerpt.$contents.withValue(["Mail.swift": source]) { self.page }
    #expect(page.contains("<h2>Lines</h2>\n<pre>Mail.swift\n    7  ring(&lt;bell&gt;)\n"))
  }

  @Test func `rows that are left out are in a fold, with their count`() {
    let rows = SampleTrace.rows(SampleTrace.manyTasks)
    let page = SchedulePage(rows, title: "many tasks").html
    let lines = text(of: page).split(separator: "\n")
    let summary = lines.firstIndex(of: "28 steps of 28 tasks")!
    #expect(
      lines[summary - 1...summary + 1] == [
        "0 s task 1 starts, Mailbox.next, wakes the body, ends", "28 steps of 28 tasks",
        "0 s task 3 starts, at Mail.swift:7, wakes the body, ends",
      ])
    #expect(lines.filter { $0.hasPrefix("0 s ") }.count == rows.rows.count)
    #expect(page.contains("<details><summary>28 steps of 28 tasks</summary>"))
    // Tasks that have rows in folds only need no lane, and are folded too.
    #expect(page.contains("<details><summary>28 more tasks</summary>"))
    #expect(lines.filter { $0.hasPrefix("task ") }.count == 30)
    #expect(page.contains("repeat(3, minmax(0, 1fr))"))
  }

  @Test func `the page loads no files, and its one script only copies the replay line`() throws {
    for word in ["http", "src=", "href=", "url(", "@import", "fetch(", "onclick=\""] {
      #expect(!page.contains(word), "\(word)")
    }
    let scripts = page.matches(of: /<script>[\s\S]*?<\/script>/).map { String($0.0) }
    #expect(
      scripts == [
        """
        <script>
        const button = document.getElementById("copy");
        button.hidden = false;
        button.onclick = () => {
          getSelection().selectAllChildren(document.getElementById("replay"));
          document.getElementById("copied").textContent =
            document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
        };
        </script>
        """
      ])
    #expect(page.split(separator: "<script").count == 2)
    let copy = #"<button type="button" id="copy" aria-describedby="replay" hidden>Copy</button>"#
    #expect(page.contains(copy))
    let bare = SchedulePage(SampleTrace.rows(SampleTrace.cancellation), title: "no replay").html
    #expect(!bare.contains("<script") && !bare.contains("<button"))
  }

  @Test func `a screen reader is told of lists, and not of what repeats a text`() {
    #expect(page.contains(#"<ol class="steps" role="list" aria-labelledby="schedule">"#))
    #expect(page.contains(#"<ul class="tasks" role="list">"#))
    #expect(page.contains(#"<div class="heads" aria-hidden="true">"#))
    #expect(page.split(separator: #"<div class="graph" aria-hidden="true">"#).count == 8)
    #expect(page.contains(#"<span id="copied" role="status"></span>"#))
    #expect(page.contains(":focus-visible {"))
  }

  @Test func `the page prints its folds open, without the button, in light colours`() {
    let print = page.split(separator: "@media print").last!
    #expect(print.contains("button { display: none; }"))
    #expect(print.contains("::details-content { content-visibility: visible; height: auto; }"))
    #expect(page.contains("@media screen and (prefers-color-scheme: dark)"))
  }

  @Test func `the page fits a phone`() {
    #expect(page.contains("name=\"viewport\" content=\"width=device-width, initial-scale=1\""))
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
    #expect(page.contains("<svg>"))
  }

  @Test func `with more than twenty tasks there are no lines beside the texts`() {
    let rows = SampleTrace.rows(SampleTrace.turns(tasks: 21, rounds: 22))
    let page = SchedulePage(rows, title: "more").html
    #expect(page.contains("grid-template-columns: 4.2em 1fr; }"))
    #expect(!page.contains("<svg>"))
  }
}
