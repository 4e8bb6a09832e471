import Foundation

/// `find-waits --fix` changes a copy of the sample package. It builds the copy and runs its tests, before and after.
struct ChangeACopy: Chapter {
  let title = "Let find-waits change a copy"

  func run(showing progress: ProgressLine) async -> [String] {
    let folder: URL
    do { folder = try Sample.copy() } catch {
      return ["\(Sample.path) cannot be copied: \(error.localizedDescription)"]
    }
    defer { try? FileManager.default.removeItem(at: folder) }

    // `find-waits --fix` changes the package in the current folder.
    let outer = FileManager.default.currentDirectoryPath
    guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
      return ["\(folder.path) cannot be the current folder."]
    }
    defer { _ = FileManager.default.changeCurrentDirectoryPath(outer) }

    let arguments = ["--fix", "--package", Sample.root.lastPathComponent]
    let output = await progress.show("building a copy and running its tests, twice") {
      Sample.findWaits(arguments)
    }
    let lines = output.split(separator: "\n").map(String.init)
    let changes = lines.filter { line in
      ["-", "+"].contains(where: line.hasPrefix)
        && ["func ", "class "].contains(where: line.contains)
    }
    let results = lines.drop { !$0.hasPrefix("fixed") && !$0.hasPrefix("taken back") }
    guard !results.isEmpty else { return lines }
    // The first failure of a test whose change was taken back stands below it, indented.
    return ["A copy of \(Sample.path), after `find-waits --fix`:", ""]
      + changes.map { String($0.prefix(77)) } + [""] + results.filter { !$0.hasPrefix(" ") }
  }
}
