import SleeplessTesting

extension FailureCase {
  /// Operations that throw another error, or none.
  static let throwing: [FailureCase] = [
    FailureCase(
      "no error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error, but it returned 7.
        Does it handle the error itself, or was it not made to fail?
        """
    ) {
      await simulated { await expectThrows { 7 } }
    },
    FailureCase(
      "no error and no value", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error of type Trouble, but it returned.
        Does it handle the error itself, or was it not made to fail?
        """
    ) {
      await simulated { await expectThrows(Trouble.self) {} }
    },
    FailureCase(
      "another type of error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error of type CancellationError, but it threw Trouble: offline.
        If the operation is right, expect that error.
        """
    ) {
      await simulated { await expectThrows(CancellationError.self) { throw Trouble.offline } }
    },
    FailureCase(
      "another error", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw offline, but it threw Trouble: signedOut.
        If the operation is right, expect that error.
        """
    ) {
      await simulated { await expectThrows(Trouble.offline) { throw Trouble.signedOut } }
    },
    FailureCase(
      "an error that the predicate does not accept", at: #line + 6,
      reads: """
        expectThrows expected the operation to throw an error that the predicate accepts, but it threw Trouble: offline.
        If the operation is right, expect that error.
        """
    ) {
      await simulated { await expectThrows(where: { _ in false }) { throw Trouble.offline } }
    },
  ]
}
