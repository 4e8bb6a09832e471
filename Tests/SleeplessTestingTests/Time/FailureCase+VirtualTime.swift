extension FailureCase {
  /// The failures of schedulers and clocks.
  static let virtualTime = ofScheduling + ofAdvancing + ofSleeping + ofStandIns
}
