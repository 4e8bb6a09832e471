/// A numbered promise to users, such as T1, "virtual time never moves back".
enum Contract {
  /// The promises that are kept by now. Whoever keeps another one adds its number.
  static let due =
    (1...10).map { "T\($0)" }  // time
    + (1...6).map { "P\($0)" }  // publishers
    + (1...5).map { "F\($0)" }  // failures
    + (1...10).map { "S\($0)" }  // simulation
    + (1...3).map { "W\($0)" }  // waiting
    + (1...4).map { "M\($0)" }  // memory
    + (1...3).map { "X\($0)" }  // toolchains

  /// The numbers with which the names of tests begin: "T1" for each of
  /// ``func `T1 time never moves back`()``, `func testT1_…` and `func test_T1_…`.
  static func numbers(in file: TextFile) -> Set<String> {
    // After a quote or a comment it would be words about a test.
    let name = /^[^"\/]*\bfunc (?:`|test_?)([A-Z][0-9]+)(?![A-Za-z0-9])/
    var numbers: Set<String> = []
    for (_, line) in file.codeLines where line.contains("func ") {
      if let match = line.firstMatch(of: name) { numbers.insert(String(match.1)) }
    }
    return numbers
  }
}
