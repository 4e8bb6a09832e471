extension FailureCase {
  /// The mishaps of schedulers and clocks.
  static let virtualTime = ofScheduling + ofAdvancing + ofSleeping + ofStandIns
}
