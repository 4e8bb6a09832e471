extension Recorder {
  /// The object that the source holds, to test that the source releases it.
  package var observedCore: AnyObject { core }

  /// The memory of the history, unused space included.
  package var reservedBytes: Int {
    core.state.withLock { $0.history.reservedBytes(stride: MemoryLayout<Value>.stride) }
  }
}
