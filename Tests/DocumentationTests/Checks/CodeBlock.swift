/// A fenced block of Swift in a document or in a documentation comment.
struct CodeBlock: Equatable {
  let path: String
  /// The number of the line that opens the fence, counted from 1.
  let line: Int
  /// The code without the indentation of any line.
  let code: [String]

  /// Whether the block stands in `file`, all of it and in one piece.
  ///
  /// Indentation is not compared: an example at the margin of a page is a few levels deep in a test.
  /// An empty block stands nowhere, since nothing can prove it.
  func occurs(in file: TextFile) -> Bool {
    guard !code.isEmpty, code.count <= file.lines.count else { return false }
    let lines = file.lines.map(\.trimmed)
    return (0...(lines.count - code.count)).contains { start in
      lines[start..<(start + code.count)].elementsEqual(code)
    }
  }

  /// Whether the block is part of somebody's Package.swift, which no test can hold.
  var isManifestFragment: Bool {
    code.contains { line in
      [".package(", ".product(", ".testTarget("].contains { line.hasPrefix($0) }
    }
  }
}

extension TextFile {
  /// Every block of Swift in a page of Markdown.
  ///
  /// A fence that names no language counts as Swift, as it does for DocC: otherwise a block could
  /// avoid its test by saying less. Output and diagrams are fenced as `text`.
  var codeBlocks: [CodeBlock] { blocks(in: lines) }

  /// Every block of Swift in the `///` comments of a source file.
  var codeBlocksInComments: [CodeBlock] {
    blocks(
      in: lines.map { line in
        let line = line.trimmed
        return line.hasPrefix("///") ? String(line.dropFirst(3)) : nil
      })
  }

  /// Nil stands for a line that is not part of the text; it ends a fence that is still open.
  private func blocks(in text: [String?]) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var opening: (fence: Fence, index: Int)?
    for (index, line) in text.enumerated() {
      let fence = line.flatMap(Fence.init)
      if let (outer, start) = opening {
        let isLast = index == text.count - 1
        let closes = line == nil || fence?.closes(outer) == true
        guard closes || isLast else { continue }
        opening = nil
        guard outer.isSwift else { continue }
        let code = text[(start + 1)..<(closes ? index : index + 1)]
        blocks.append(
          CodeBlock(path: path, line: start + 1, code: code.compactMap { $0?.trimmed }))
      } else if let fence {
        opening = (fence, index)
      }
    }
    return blocks
  }
}

/// A line of three or more backticks or tildes, as CommonMark has it.
private struct Fence {
  let marker: Character
  let length: Int
  let info: String

  init?(_ line: String) {
    let line = line.trimmed
    guard let marker = line.first, marker == "`" || marker == "~" else { return nil }
    length = line.prefix { $0 == marker }.count
    info = String(line.dropFirst(length)).trimmed
    self.marker = marker
    // "```like this```" is code within a sentence.
    guard length >= 3, !info.contains("`") else { return nil }
  }

  var isSwift: Bool {
    let language = info.prefix { !" ,{".contains($0) }.lowercased()
    return language.isEmpty || language == "swift"
  }

  func closes(_ opening: Fence) -> Bool {
    marker == opening.marker && length >= opening.length && info.isEmpty
  }
}
