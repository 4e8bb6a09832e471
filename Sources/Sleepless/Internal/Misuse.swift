import Foundation

/// Stops the program at the caller's line because the calling code made a mistake.
///
/// `precondition` loses its text in release builds; `fatalError` keeps it.
package func misuse(_ message: String, at site: CallSite) -> Never {
  fatalError(message, file: site.filePath, line: site.line)
}

/// Prints a remark on standard error, once for each text: in previews and tests the calling code may be right.
package func remark(_ message: String) {
  guard told.withLock({ $0.insert(message).inserted }) else { return }
  FileHandle.standardError.write(Data("\(message)\n".utf8))
}

private let told = Locked(Set<String>())
