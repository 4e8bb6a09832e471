// Leaves out of the titles in symbol graphs what no caller writes: the parameters fileID, filePath, line, column and
// isolation. The sidebar and the lists of the documentation then show what a caller writes. There a function whose
// declaration is long has its labels only. The declaration on a symbol's own page keeps everything.
//
// Usage: fold-source-locations FOLDER
import Foundation

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
/// The sidebar cuts a line off that is much longer.
let longest = 70

typealias Part = [String: Any]

func text(_ part: Part) -> String { part["spelling"] as? String ?? "" }

/// The parts of a declaration without those from one parameter to the end of another, whose type is in the part with
/// `end` in it.
func without(_ first: String, through last: String, endingWith end: String, _ parts: [Part]) -> [Part] {
  func index(of parameter: String) -> Int? {
    parts.firstIndex { $0["kind"] as? String == "externalParam" && text($0) == parameter }
  }
  guard let start = index(of: first), start > 0, let final = index(of: last),
    let stop = parts[final...].firstIndex(where: { text($0).contains(end) })
  else { return parts }
  var before = text(parts[start - 1])
  var after = String(text(parts[stop])[text(parts[stop]).range(of: end)!.upperBound...])
  var next = stop
  if after.isEmpty, stop + 1 < parts.count {
    next = stop + 1
    after = text(parts[next])
  }
  if after.hasPrefix(", ") {
    after.removeFirst(2)
  } else if before.hasSuffix(", ") {
    before.removeLast(2)
  }
  var parts = parts
  parts[start - 1]["spelling"] = before
  parts[next]["spelling"] = after
  parts[next]["kind"] = "text"
  parts.removeSubrange(start..<next)
  return parts
}

/// `func name(label:label:)`, or `init(label:)`
func labels(_ title: String, _ parts: [Part]) -> [Part] {
  let start = parts.prefix { $0["kind"] as? String != "identifier" && text($0) != "init" }
  return start + [["kind": "identifier", "spelling": title]]
}

for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
where file.lastPathComponent.hasSuffix(".symbols.json") {
  let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
  guard var graph = json as? [String: Any], var symbols = graph["symbols"] as? [[String: Any]]
  else { fatalError("\(file.path) is no symbol graph.") }
  for index in symbols.indices {
    guard var names = symbols[index]["names"] as? [String: Any],
      var title = names["title"] as? String, var parts = names["subHeading"] as? [Part]
    else { continue }
    title = title.replacingOccurrences(of: "fileID:filePath:line:column:", with: "")
      .replacingOccurrences(of: "isolation:", with: "")
    parts = without("fileID", through: "column", endingWith: "UInt", parts)
    parts = without("isolation", through: "isolation", endingWith: ")?", parts)
    let isFunction = parts.contains { ["func", "init"].contains(text($0)) } && title.contains("(")
    let isLong = parts.reduce(0) { $0 + text($1).count } > longest
    names["title"] = title
    names["subHeading"] = isFunction && isLong ? labels(title, parts) : parts
    symbols[index]["names"] = names
  }
  graph["symbols"] = symbols
  try JSONSerialization.data(withJSONObject: graph).write(to: file)
}
