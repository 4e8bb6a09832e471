extension Recorder {
  /// What the source holds, to see whether it lets go of it.
  package var observedCore: AnyObject { core }

  /// How much memory the history takes up, space that is not used yet included.
  package var reservedBytes: Int {
    core.state.withLock { $0.history.reservedBytes(stride: MemoryLayout<Value>.stride) }
  }
}
