/// What Package.swift says, as far as users repeat it in theirs.
struct Manifest {
  let packageName: String
  /// The names of the library products, which are those of their modules.
  let libraries: [String]
  /// Whether the package depends on another one.
  let hasDependencies: Bool

  init(_ file: TextFile) {
    let lines = file.codeLines.map(\.text.trimmed).filter { !$0.hasPrefix("//") }
    let text = lines.joined(separator: "\n")
    packageName = text.firstMatch(of: /Package\(\s*name: "([^"]+)"/).map { String($0.1) } ?? ""
    libraries = text.matches(of: /\.library\(\s*name: "([^"]+)"/).map { String($0.1) }
    hasDependencies = text.contains(".package(")
  }

  /// What a part of a user's manifest says about this package that is not so.
  func faults(in block: CodeBlock) -> [String] {
    let text = block.code.joined(separator: "\n")
    var faults: [String] = []
    var facts = 0
    for match in text.matches(of: /\.product\(\s*name: "([^"]*)",\s*package: "([^"]*)"/) {
      facts += 1
      if !libraries.contains(String(match.1)) {
        faults.append("There is no product \"\(match.1)\", only \(list(libraries)).")
      }
      if match.2.lowercased() != packageName.lowercased() {
        faults.append("The package is \"\(packageName)\", not \"\(match.2)\".")
      }
    }
    for match in text.matches(of: /\.package\(\s*url: "([^"]*)"/) {
      facts += 1
      let name = match.1.split(separator: "/").last?.replacing(/\.git$/, with: "") ?? ""
      if name.lowercased() != packageName.lowercased() {
        faults.append("The address ends in \"\(name)\", not in \"\(packageName)\".")
      }
    }
    return facts > 0 ? faults : ["This part of a manifest names neither the package nor a product."]
  }

  private func list(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
