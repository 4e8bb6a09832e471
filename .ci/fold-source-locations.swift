// Leaves the parameters fileID, filePath, line and column out of the titles in symbol graphs, so that the sidebar and
// the lists of the documentation show what a caller writes. The declaration on a symbol's own page keeps them.
//
// Usage: fold-source-locations FOLDER
import Foundation

let folder = URL(fileURLWithPath: CommandLine.arguments[1])

/// The parts of a declaration without those from `fileID` to the type of `column`.
func folded(_ parts: [[String: Any]]) -> [[String: Any]] {
  func index(of parameter: String) -> Int? {
    parts.firstIndex {
      $0["kind"] as? String == "externalParam" && $0["spelling"] as? String == parameter
    }
  }
  guard let start = index(of: "fileID"), let last = index(of: "column"), start > 0,
    last + 3 < parts.count, var before = parts[start - 1]["spelling"] as? String,
    var after = parts[last + 3]["spelling"] as? String
  else { return parts }
  if after.hasPrefix(", ") {
    after.removeFirst(2)
  } else if before.hasSuffix(", ") {
    before.removeLast(2)
  }
  var parts = parts
  parts[start - 1]["spelling"] = before
  parts[last + 3]["spelling"] = after
  parts.removeSubrange(start..<(last + 3))
  return parts
}

for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
where file.lastPathComponent.hasSuffix(".symbols.json") {
  let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
  guard var graph = json as? [String: Any], var symbols = graph["symbols"] as? [[String: Any]]
  else { fatalError("\(file.path) is no symbol graph.") }
  for index in symbols.indices {
    guard var names = symbols[index]["names"] as? [String: Any] else { continue }
    if let title = names["title"] as? String {
      names["title"] = title.replacingOccurrences(of: "fileID:filePath:line:column:", with: "")
    }
    if let parts = names["subHeading"] as? [[String: Any]] {
      let short = folded(parts)
      names["subHeading"] = short
      // The sidebar cuts a long line off: there a function has its labels only.
      let length = short.reduce(0) { $0 + (($1["spelling"] as? String)?.count ?? 0) }
      let isShort = length <= 50 || (names["title"] as? String)?.contains("(") != true
      let label = ["kind": "identifier", "spelling": names["title"] ?? ""]
      names["navigator"] = isShort ? short : [label]
    }
    symbols[index]["names"] = names
  }
  graph["symbols"] = symbols
  try JSONSerialization.data(withJSONObject: graph).write(to: file)
}
