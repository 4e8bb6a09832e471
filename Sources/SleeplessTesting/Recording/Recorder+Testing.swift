extension Recorder {
  /// The object that the source holds, to test that the source releases it.
  package var observedCore: AnyObject { core }

  /// How much memory the history takes up, space that is not used yet included.
  package var reservedBytes: Int {
    core.state.withLock { $0.history.reservedBytes(stride: MemoryLayout<Value>.stride) }
  }
}
