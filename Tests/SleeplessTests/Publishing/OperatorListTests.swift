#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  /// Compares the operators in the sources with those that the rules are checked for.
  @Suite struct OperatorListTests {
    /// How many functions of a name are in the sources. A new operator, or a new overload, needs a number here, and a
    /// name at least as many rows in `TestedOperator.all`.
    private let tested = [
      "catch": 1, "collect": 2, "combineLatest": 4, "compactMap": 1, "debounce": 1, "delay": 1,
      "dropFirst": 1, "eraseToAnyPublisher": 1, "filter": 1, "first": 1, "flatMap": 3,
      "handleEvents": 1, "map": 1, "mapError": 1, "merge": 1, "prefix": 1, "receive": 1,
      "removeDuplicates": 2, "replaceError": 1, "setFailureType": 1, "share": 1, "subscribe": 1,
      "switchToLatest": 2, "throttle": 1,
      "timeout": 1,
    ]

    /// Members of publishers that are no operators, and where their tests are.
    private let leftOut = [
      "assign": 2,  // no publisher as a result: AssignTests
      "combine": 1,  // for Apple's systems: Fixtures/Combine
      "fail": 1, "just": 1,  // no upstream: OperatorTests
      "sink": 2,  // no publisher as a result: the tests of subjects
      "values": 2,  // no publisher as a result: PublisherValuesTests
    ]

    /// Files whose operators only convert a parameter, and call the operator of the same name.
    private let forwarding: Set = [
      "PublisherType+RunLoop.swift",  // RunLoopSchedulerTests
      "PublisherType+Seconds.swift",  // TimeOperatorTests
    ]

    @Test func `the rules are checked for every operator in the sources`() throws {
      let known = Set(tested.merging(leftOut) { $1 }.map { "\($0): \($1)" })
      let found = Set(try membersInSources().map { "\($0): \($1)" })
      #expect(
        found.subtracting(known) == [],
        "Add rows to TestedOperator.all, and the functions of that name to `tested`.")
      #expect(known.subtracting(found) == [], "Correct this number.")
      let rows = Dictionary(grouping: TestedOperator.all, by: \.function).mapValues(\.count)
      let missing = tested.filter { rows[$0.key, default: 0] < $0.value }.keys
      #expect(missing.isEmpty, "Add rows to TestedOperator.all.")
    }

    @Test func `no two rows of the rules have the same name`() {
      let names = TestedOperator.all.map(\.testDescription)
      #expect(names.filter { name in names.count { $0 == name } > 1 } == [])
    }

    /// The number of public members of each name in the extensions of `PublisherType`.
    private func membersInSources() throws -> [String: Int] {
      let package = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
      let folder = "/\(package)/Sources/Sleepless/Publishing"
      var counts: [String: Int] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where path.hasSuffix(".swift") && !forwarding.contains(where: path.hasSuffix) {
        let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        for name in members(in: text) { counts[name, default: 0] += 1 }
      }
      return counts
    }

    private func members(in text: String) -> [String] {
      var indentation: String?
      return text.split(separator: "\n").compactMap { line in
        if let start = line.firstMatch(of: /^( *)extension PublisherType\b/) {
          indentation = String(start.1)
        }
        if let start = indentation, line == "\(start)}" { indentation = nil }
        guard indentation != nil else { return nil }
        return line.firstMatch(of: /^ *public (?:static )?(?:func|var) `?(\w+)/).map {
          String($0.1)
        }
      }
    }
  }
#endif
