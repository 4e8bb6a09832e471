import Sleepless
import Testing

/// Records a Swift Testing issue with the task-local values of the calling task.
///
/// Once the process exits, Swift Testing still prints an issue but no longer counts it, so this function
/// then ends the process. In the few instructions between the end of the run and `exit`, an issue is
/// printed and not counted, because no public function says that the run is over.
func recordIssue(_ message: String, severity: Issue.Severity = .error, at place: SourceLocation) {
  Issue.record(Comment(rawValue: message), severity: severity, sourceLocation: place)
  FailedExit.enforceIfExiting()
}

extension SourceLocation {
  /// The place as the framework has it, which traps on lines and columns below 1.
  init(_ site: CallSite) {
    self.init(
      fileID: site.fileID.description, filePath: site.filePath.description,
      line: max(1, Int(site.line)), column: max(1, Int(site.column)))
  }
}
