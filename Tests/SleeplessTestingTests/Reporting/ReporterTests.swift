import SleeplessTesting
import Testing

@Suite struct ReporterTests {
  @Test func `a reporter remembers where its helper was made`() {
    let site = CallSite()
    #expect(Reporter(at: site).site == site)
  }

  @Test func `a reporter leaves the task that makes it alone`() {
    let name = Test.current?.name
    _ = Reporter(at: CallSite())
    #expect(Test.current?.name == name)
    #expect(withUnsafeCurrentTask { $0 != nil })
  }

  @Test func `M3 a reporter releases its test when it is released`() {
    weak var released: Token?
    do {
      let token = Token()
      released = token
      let reporter = Token.$current.withValue(token) { Reporter(at: CallSite()) }
      withExtendedLifetime(reporter) {}
    }
    #expect(released == nil)
  }
}

/// A task-local value, which lives as long as the last task that has it.
private final class Token: Sendable {
  @TaskLocal static var current: Token?
}
