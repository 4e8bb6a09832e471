/// Stops the program because of a mistake in the calling code, pointing at the caller's line.
///
/// `precondition` loses its text in release builds, `fatalError` keeps it.
package func misuse(_ message: String, at site: CallSite) -> Never {
  fatalError(message, file: site.filePath, line: site.line)
}
