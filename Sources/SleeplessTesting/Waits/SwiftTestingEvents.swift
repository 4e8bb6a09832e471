import CRuntimeHooks
import Foundation

/// The tests that Swift Testing has run, from its stream of events: a line of JSON for each.
///
/// The format is documented in Swift Testing's "ABI/JSON.md", version 0.
package struct SwiftTestingEvents {
  package struct Test: Equatable {
    /// As `find-waits` names it: `Suite.test`.
    let name: String
    let file: String
    let line: Int
    var start: Duration?
    var end: Duration?

    package init(
      name: String, file: String, line: Int, start: Duration? = nil, end: Duration? = nil
    ) {
      self.name = name
      self.file = file
      self.line = line
      self.start = start
      self.end = end
    }
  }

  /// By their identifiers.
  package private(set) var tests: [String: Test] = [:]
  /// In the order in which they started.
  package private(set) var started: [String] = []

  private struct Record: Decodable {
    let kind: String
    let payload: Payload
  }

  private struct Payload: Decodable {
    let kind: String
    // Of a test:
    let id: String?
    let name: String?
    let sourceLocation: Location?
    // Of an event:
    let instant: Instant?
    let testID: String?
  }

  private struct Location: Decodable {
    let filePath: String?
    let fileID: String
    let line: Int

    enum CodingKeys: String, CodingKey { case filePath = "_filePath", fileID, line }
  }

  private struct Instant: Decodable { let absolute: Double }

  /// A line that cannot be read is left out: the process may have ended while it wrote it.
  ///
  /// Most lines are of cases and issues. They are not decoded, and lines are found in C: loops over bytes are slow in a
  /// debug build.
  package init(_ data: Data) {
    let decoder = JSONDecoder()
    let wanted = [#""kind":"function""#, #""kind":"testStarted""#, #""kind":"testEnded""#]
    data.withUnsafeBytes { bytes in
      guard var start = bytes.baseAddress else { return }
      let end = start + bytes.count
      while start < end {
        let line = memchr(start, 0x0a, end - start).map { UnsafeRawPointer($0) } ?? end
        let size = line - start
        if wanted.contains(where: { sleepless_bytes_contain(start, size, $0) }),
          let record = try? decoder.decode(Record.self, from: Data(bytes: start, count: size))
        {
          add(record)
        }
        start = line + 1
      }
    }
  }

  private mutating func add(_ record: Record) {
    let payload = record.payload
    switch (record.kind, payload.kind) {
    case ("test", "function"):
      guard let id = payload.id, let location = payload.sourceLocation else { return }
      tests[id] = Test(
        name: Self.name(id: id, function: payload.name ?? id),
        file: location.filePath ?? location.fileID, line: location.line)
    case ("event", "testStarted"):
      guard let id = payload.testID, tests[id] != nil, let instant = payload.instant else { return }
      tests[id]?.start = .seconds(instant.absolute)
      started.append(id)
    case ("event", "testEnded"):
      guard let id = payload.testID, let instant = payload.instant else { return }
      tests[id]?.end = .seconds(instant.absolute)
    default: break
    }
  }

  /// The suites and the function: `AppTests.Suite/test()/File.swift:3:2` is `Suite.test`. A name between backticks
  /// may have any characters.
  package static func name(id: String, function: String) -> String {
    let suites =
      id.range(of: "/" + function + "/", options: .backwards)
      .map { id[..<$0.lowerBound] }.map { $0.drop { $0 != "." }.dropFirst() } ?? ""
    let parts = suites.split(separator: "/") + [function[...]]
    return parts.map { part in
      if part.hasPrefix("`"), let end = part.dropFirst().firstIndex(of: "`") {
        return String(part[part.index(after: part.startIndex)..<end])
      }
      return String(part.prefix { $0 != "(" })
    }.joined(separator: ".")
  }
}
