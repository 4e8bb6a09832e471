import Foundation
import Sleepless
import SleeplessTesting
import Testing

// Swift Testing runs the tests of a serialized suite in the order in which they are written.
@Suite(.serialized) struct Cells {
  @Test func owner() async {
    let reporter = Reporter(at: CallSite())  // MARK: Swift Testing helper
    let leftover = Leftover.shared
    leftover.start(reporter, in: Cell.current.context)
    guard Cell.current.scenario == "during" else { return }
    leftover.mayFail.open()
    await failInTheCaller()
    await leftover.hasFailed.wait()
  }

  @Test(.enabled(if: Cell.current.scenario == "after")) func later() async {
    let leftover = Leftover.shared
    leftover.mayFail.open()
    await failInTheCaller()
    await leftover.hasFailed.wait()
  }

  private func failInTheCaller() async {
    switch Cell.current.context {
    case .sync: Leftover.shared.fail()
    case .async: await Task { Leftover.shared.fail() }.value
    default: break
    }
  }
}

@Suite struct Several {
  @Test func two() {
    let reporter = Reporter(at: CallSite())
    reporter.fail("the first")
    reporter.fail("the second")
  }

  @Test func eight() {
    failFromEightThreads(Reporter(at: CallSite()))
  }

  @Test func line() {
    Reporter(at: CallSite()).fail("elsewhere", at: CallSite())  // MARK: Swift Testing other line
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
    let reporter = Reporter(at: CallSite())
    guard name == "two" else { return }
    await Task.detached { reporter.fail("case \(name) failed") }.value
  }
}
