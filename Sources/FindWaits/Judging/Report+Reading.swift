import Dispatch
import Foundation

/// A file of source before it is read.
package struct SourceText: Sendable {
  package let path: String
  /// The path from the folder of the package.
  let pathInPackage: String
  package let bytes: [UInt8]

  package init(path: String, inPackage pathInPackage: String? = nil, bytes: [UInt8]) {
    self.path = path
    self.pathInPackage = pathInPackage ?? path
    self.bytes = bytes
  }

  package init(path: String, text: String) { self.init(path: path, bytes: Array(text.utf8)) }
}

extension Report {
  /// Reads files, all cores at once, and joins what was found. `load` gets the number of a file.
  package init(
    fileCount count: Int, load: @Sendable (Int) throws(SourceProblemError) -> SourceText
  ) {
    // Each result is stored at its file's place, so the report does not depend on which core was first.
    let results = FileResults(count: count)
    DispatchQueue.concurrentPerform(iterations: count) { index in
      results.set(
        index, Result { () throws(SourceProblemError) in try FileSummary(reading: load(index)) })
    }
    var files: [FileSummary] = []
    var problems: [SourceProblem] = []
    for result in results.all {
      switch result {
      case .success(let file)?: files.append(file)
      case .failure(let error)?: problems.append(error.problem)
      case nil: break
      }
    }
    let found = WaitFinder(SourcePackage(files)).find()
    self.init(tests: found.tests, testCount: found.count, fileCount: count, problems: problems)
  }

  /// Reads texts.
  package init(_ texts: [SourceText]) {
    self.init(fileCount: texts.count) { texts[$0] }
  }
}

/// The results of all files, each at the place of its file.
///
/// Unchecked, because the compiler does not see that `lock` guards `results`. `Mutex` needs macOS 15.
private final class FileResults: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<FileSummary, SourceProblemError>?]

  init(count: Int) { results = Array(repeating: nil, count: count) }

  func set(_ index: Int, _ result: Result<FileSummary, SourceProblemError>) {
    lock.withLock { results[index] = result }
  }

  var all: [Result<FileSummary, SourceProblemError>?] { lock.withLock { results } }
}

/// A problem on its way to the report.
package struct SourceProblemError: Error {
  package let problem: SourceProblem

  package init(_ problem: SourceProblem) { self.problem = problem }
}

extension FileSummary {
  fileprivate init(reading text: SourceText) throws(SourceProblemError) {
    do {
      self.init(
        try SourceFile(path: text.path, text: text.bytes), pathInPackage: text.pathInPackage)
    } catch {
      throw SourceProblemError(SourceProblem(path: text.path, line: error.line, text: error.what))
    }
  }
}
