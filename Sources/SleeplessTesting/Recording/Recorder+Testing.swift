extension Recorder {
  /// What the source holds, to see whether it lets go of it.
  package var observedCore: AnyObject { core }
}
