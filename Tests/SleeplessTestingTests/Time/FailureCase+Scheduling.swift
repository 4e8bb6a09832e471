import SleeplessTesting

extension FailureCase {
  /// Work that cannot be scheduled as asked, or is left behind.
  static let ofScheduling = [
    FailureCase(
      "an interval of zero", at: #line + 5,
      reads: """
        A repeating interval must be positive (was 0 s). Nothing was scheduled. To run work once \
        use schedule(after:).
        """
    ) { TestScheduler().schedule(every: .zero) {} },
    FailureCase(
      "a step limit of zero", at: #line + 2,
      reads: "stepLimit must be at least 1 (was 0). Using 1."
    ) { _ = TestScheduler(stepLimit: 0) },
    FailureCase(
      "work left behind", at: #line + 9,
      reads: """
        A scheduler was released with work pending that will now never run (now: 0 s):
          at 3 s: "hide the toast", FailureCase+Scheduling.swift:\(#line + 6)
        Run it with run() or advance(by:), cancel it, or make the scheduler or clock with \
        allowsPendingWork: true if the test does not care.
        """
    ) {
      try? await EndOfTest.check {
        TestScheduler().schedule(after: .seconds(3), label: "hide the toast") {}
      }
    },
    FailureCase(
      "sync from work of the same queue", at: #line + 7,
      reads: """
        sync was called on a queue by work that the same queue is running:
          at 0 s: on queue "main", FailureCase+Scheduling.swift:\(#line + 5)
        On a serial DispatchQueue this waits for ever. Call the code directly instead.
        """
    ) {
      let scheduler = TestScheduler("main")
      scheduler.async { scheduler.sync {} }
      scheduler.advance()
    },
  ]
}
