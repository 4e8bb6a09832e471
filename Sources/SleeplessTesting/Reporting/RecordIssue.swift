import Sleepless
import Testing

/// Records a Swift Testing issue with the task-local values of the calling task.
func recordIssue(_ message: String, at site: CallSite) {
  // `SourceLocation` traps on lines and columns below 1.
  let location = SourceLocation(
    fileID: site.fileID.description, filePath: site.filePath.description,
    line: max(1, Int(site.line)), column: max(1, Int(site.column)))
  Issue.record(Comment(rawValue: message), sourceLocation: location)
  FailedExit.enforceIfExiting()
}
