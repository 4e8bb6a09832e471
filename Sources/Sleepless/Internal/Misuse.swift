/// Stops the program at the caller's line because the calling code made a mistake.
///
/// `precondition` loses its text in release builds; `fatalError` keeps it.
package func misuse(_ message: String, at site: CallSite) -> Never {
  fatalError(message, file: site.filePath, line: site.line)
}
