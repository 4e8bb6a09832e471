import Foundation

@testable import FindWaits

/// A run of the command in a temporary folder.
final class CommandRun {
  let folder: String
  private(set) var output = ""
  private(set) var errors = ""
  private(set) var status: Int32 = -1

  /// Writes files, each by its path.
  init(_ files: [String: String]) throws {
    folder = FileManager.default.temporaryDirectory.path + "/find-waits-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (path, text) in files {
      let url = URL(fileURLWithPath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Runs the command. In the arguments and in what it prints, `@` stands for the folder.
  func run(_ words: String...) {
    (output, errors) = ("", "")
    status = Command.run(words.map { $0.replacing("@", with: folder) }) { text in
      output += text.replacing(folder, with: "@")
    } complain: { text in
      errors += text.replacing(folder, with: "@") + "\n"
    }
  }
}
