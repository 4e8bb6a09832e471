import Sleepless

extension ReleaseWatch {
  /// Counts the waits that the calling code begins.
  @TaskLocal package static var waitCount: Locked<Int>?
}
