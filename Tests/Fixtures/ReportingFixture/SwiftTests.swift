import Foundation
import Sleepless
import SleeplessTesting
import Testing

/// Its helper fails when the process exits.
@Suite struct Exiting {
  @Test func owner() {
    Leftover.shared.keep(Reporter(at: CallSite()))  // MARK: Swift helper
  }
}

@Suite struct Several {
  @Test func two() {
    let reporter = Reporter(at: CallSite())  // MARK: Swift two
    reporter.fail("the first")
    reporter.fail("the second")
  }

  @Test func eight() {
    failFromEightThreads(Reporter(at: CallSite()))  // MARK: Swift eight
  }

  @Test func otherLine() {
    Reporter(at: CallSite()).fail("elsewhere", at: CallSite())  // MARK: Swift other line
  }
}

@Suite struct Known {
  @Test func known() {
    let reporter = Reporter(at: CallSite())
    withKnownIssue { reporter.fail("a known failure") }
  }

  @Test func knownFromThreads() {
    withKnownIssue { failFromEightThreads(Reporter(at: CallSite())) }
  }
}

@Suite struct Outside {
  @Test func outsideHere() { outside.fail("the global failed") }

  @Test func outsideDetached() async {
    await Task.detached { outside.fail("the global failed") }.value
  }
}

@Suite struct Cases {
  @Test(arguments: ["one", "two"]) func parameterized(name: String) async {
    let reporter = Reporter(at: CallSite())  // MARK: parameterized helper
    guard name == "two" else { return }
    await Task.detached { reporter.fail("case \(name) failed") }.value
  }
}

/// Two tests side by side, of which the second uses the first one's helper.
@Suite(.serialized) struct Shared {
  @Test func maker() {
    Leftover.shared.keep(Reporter(at: CallSite()))  // MARK: shared helper
  }

  @Test func user() async {
    withKnownIssue("matches nothing: the helper is not this test's", isIntermittent: true) {
      Leftover.shared.fail()
    }
  }
}

@Suite struct ExitTests {
  @Test func child() async {
    // The compiler gives `#line` inside an expanded macro the line on which the macro begins.
    await #expect(processExitsWith: .success) {  // MARK: exit test helper
      Reporter(at: CallSite()).fail("the child failed")
    }
  }
}
