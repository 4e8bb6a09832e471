#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Foundation

  extension WaitTimings {
    /// Writes the file. Processes of one run take turns.
    func write(to path: String) throws {
      let file = try checked { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644) }
      // This also ends the turn.
      defer { close(file) }
      try checked { flock(file, LOCK_EX) }
      var status = stat()
      try checked { fstat(file, &status) }
      // A terminal and a pipe have no earlier text, and reading them may never end.
      let isFile = status.st_mode & S_IFMT == S_IFREG
      let handle = FileHandle(fileDescriptor: file, closeOnDealloc: false)
      let text = try text(after: isFile ? handle.readToEnd() : nil)
      if isFile {
        try checked { ftruncate(file, 0) }
        try checked { lseek(file, 0, SEEK_SET) }
      }
      try writeAll(Data(text.utf8), to: file)
    }
  }

  /// Why the system has refused a call.
  private struct SystemFailure: Error, CustomStringConvertible {
    let code: CInt
    var description: String { String(cString: strerror(code)) }
  }

  /// The result of a function of C, which is negative if the function fails.
  @discardableResult
  private func checked<Result: SignedInteger>(_ call: () -> Result) throws -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw SystemFailure(code: errno) }
    }
  }

  private func writeAll(_ data: Data, to file: CInt) throws {
    var rest = data
    while !rest.isEmpty {
      let count = try checked { rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } }
      rest = rest.dropFirst(count)
    }
  }
#endif
