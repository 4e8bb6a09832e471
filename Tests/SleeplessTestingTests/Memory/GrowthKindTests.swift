import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

// Only Linux counts allocations, and these are many types of Foundation.
#if os(Linux)
  /// `assertNoGrowth` sees what grows, whatever its type, and nothing where nothing grows.
  @Suite(.serialized, .needs(.objectBirths), .needs(.memorySearch))
  struct GrowthKindTests {
    @Test(arguments: Kind.all)
    private func `each kind of object that stays behind is named`(kind: Kind) async {
      let failures = await failures {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await assertNoGrowth { await kind.keepOne() }
        }
      }
      let lines = failures.first?.text.withoutSizes.split(separator: "\n") ?? []
      #expect(failures.count == 1)
      #expect(lines.contains("  \(kind.name): +1, +1, +1, +1"), "\(failures)")
      Attic.clear()
    }

    @Test(arguments: RoundTrip.all)
    private func `a round trip that leaves nothing does not grow, whatever it uses`(
      trip: RoundTrip
    ) async throws {
      if trip.throwsErrors, RoundTrip.isUnderAddressSanitizer {
        try Test.cancel(
          "Swift Testing keeps a record for each address of an error, and all are new")
      }
      await assertNoGrowth { await trip.body() }
    }

    @Test(.needs(.capture)) func `an unfinished task that captures nothing is counted`() async {
      let line = #line + 3
      let failures = await failures {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await assertNoGrowth { Task { await Waiting.wait() } }
        }
      }
      Waiting.resumeAll()
      #expect(
        failures.map(\.withoutTaskNumbers) == [
          Failure(
            """
            Objects of 1 type stayed behind in each of 4 rounds:
              unfinished task: +1, +1, +1, +1
            About the last unfinished task:
            task *
            Cancel the task when its owner is no longer needed, or end the stream, the continuation or the loop \
            that it waits for.
            A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) with \
            more rounds than the cache has places.
            """, line: line)
        ])
    }

    @Test func `the path to a text that stays behind is shown`() async {
      let line = #line + 3
      let failures = await failures {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await assertNoGrowth { Attic.names.withLock { $0.names.append(longText()) } }
        }
      }
      Attic.names.withLock { $0.names = [] }
      #expect(
        failures.map(\.withoutSizes) == [
          Failure(
            """
            Objects of 1 type stayed behind in each of 4 rounds:
              String: +1, +1, +1, +1
            About the last String:
            String was not deallocated: a static property or a global variable holds it.
              Attic.names -> Locked<Names> -> String
            Remove it there when its work is done. If it should live as long as the program, do not watch it.
            A cache that is not full yet grows in the same way. If it is one, call assertNoGrowth(rounds:) with \
            more rounds than the cache has places.
            """, line: line)
        ])
    }

    @Test func `objects of the program come before what they hold`() async {
      let failures = await failures {
        await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          await assertNoGrowth { Attic.keep(Trunk()) }
        }
      }
      Attic.clear()
      let lines = failures.first?.text.withoutSizes.split(separator: "\n").prefix(6) ?? []
      #expect(
        lines == [
          "Objects of 3 types stayed behind in each of 4 rounds:",
          "  Trunk: +1, +1, +1, +1",
          "  Array<Int>: +1, +1, +1, +1",
          "  String: +1, +1, +1, +1",
          "About the last Trunk:",
          "Trunk was not deallocated: a static property or a global variable holds it.",
        ])
    }
  }

  /// An object of a certain type.
  private struct Kind: Sendable, CustomTestStringConvertible {
    /// The name in failures.
    let name: String
    let testDescription: String
    let keepOne: @Sendable () async -> Void

    init(
      _ description: String, named name: String,
      _ make: @escaping @Sendable () async -> any Sendable
    ) {
      self.name = name
      testDescription = description
      keepOne = { Attic.keep(await make()) }
    }

    static let all = [
      Kind("a text", named: "String") { longText() },
      Kind("bytes", named: "Array<UInt8>") { [UInt8](repeating: 1, count: count(100)) },
      Kind("an array", named: "Array<Double>") { [Double(count(1)), 2, 3] },
      Kind("a dictionary", named: "Dictionary<Int, Int>") { [count(1): 1] },
      Kind("a set", named: "Set<Int>") { Set([count(1), 2]) },
      Kind("a value in a box", named: "boxed value") {
        Unchecked(Label(text: "", number: count(1)) as AnyObject)
      },
      Kind("a large value", named: "closure or boxed value") { Large(number: count(1)) },
      Kind("an error", named: "error") { Failed(error: Refusal(reason: longText())) },
      Kind("a closure", named: "closure or boxed value") { closure(over: count(1)) },
      Kind("a variable that closures share", named: "closure or boxed value") {
        Unshared(sharing())
      },
      Kind("an object of Foundation", named: "NSMutableArray") { Unchecked(NSMutableArray()) },
      Kind("a number of Foundation", named: "NSNumber") {
        Unchecked(NSNumber(value: count(123_456_789)))
      },
      Kind("a token", named: "SubscriptionToken") { Attic.subject.sink { _ in } },
      Kind("a stream", named: "_Storage") { AsyncStream.makeStream(of: Int.self).stream },
      Kind("an object of the program", named: "Trunk") { Trunk() },
    ]
  }

  /// A round trip that leaves nothing behind.
  private struct RoundTrip: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let throwsErrors: Bool
    let body: @Sendable () async -> Void

    init(
      _ description: String, throwsErrors: Bool = false,
      _ body: @escaping @Sendable () async -> Void
    ) {
      testDescription = description
      self.throwsErrors = throwsErrors
      self.body = body
    }

    /// The address sanitizer does not use the memory of a released error again in the same test.
    static let isUnderAddressSanitizer = dlsym(nil, "__asan_init") != nil

    static let all = [
      RoundTrip("texts and collections") {
        var texts = (1...100).map { "number \($0) of many numbers" }
        texts.sort()
        _ = Dictionary(grouping: texts, by: \.count).mapValues(Set.init)
        _ = texts.joined(separator: ", ").split(separator: ",").map(String.init)
      },
      RoundTrip("JSON") {
        let data = try? JSONEncoder().encode([Label(text: longText(), number: 1)])
        _ = data.flatMap { try? JSONDecoder().decode([Label].self, from: $0) }
      },
      RoundTrip("formatters") {
        let formatter = DateFormatter()
        formatter.dateStyle = .long
        _ = formatter.string(from: Date(timeIntervalSince1970: 0))
        _ = NumberFormatter().string(from: 3.5)
      },
      RoundTrip("formats and patterns") {
        _ = 3.5.formatted() + String(format: "%05d %@", 3, longText() as NSString)
        _ = longText().replacingOccurrences(of: "o", with: "oo").firstMatch(of: #/o+[^o]/#)
        _ = try? NSRegularExpression(pattern: "o+").numberOfMatches(
          in: longText(), range: NSRange(location: 0, length: 10))
      },
      RoundTrip("addresses and files") {
        var parts = URLComponents(string: "https://example.com/path?query=1")
        parts?.queryItems?.append(URLQueryItem(name: "name", value: longText()))
        _ = parts?.url?.absoluteString
        _ = FileManager.default.fileExists(atPath: "/nowhere")
        _ = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      },
      RoundTrip("dates and calendars") {
        _ = Calendar(identifier: .gregorian).dateComponents([.day], from: Date())
        _ = Date().description(with: Locale(identifier: "de_DE"))
      },
      RoundTrip("notifications") {
        let center = NotificationCenter()
        let observer = center.addObserver(
          forName: Notification.Name("any"), object: nil, queue: nil
        ) {
          _ in
        }
        center.post(name: Notification.Name("any"), object: nil)
        center.removeObserver(observer)
      },
      RoundTrip("errors", throwsErrors: true) {
        do { throw Refusal(reason: longText()) } catch { _ = "\(error)" }
        do { throw NSError(domain: "domain", code: 1) } catch { _ = error.localizedDescription }
      },
      RoundTrip("tasks and groups") {
        let sum = await withTaskGroup(of: Int.self) { group in
          for number in 1...10 { group.addTask { number } }
          return await group.reduce(0, +)
        }
        _ = await Task.detached { "\(sum)" }.value
        async let text = longText()
        _ = await text
      },
      RoundTrip("streams") {
        let (stream, source) = AsyncStream.makeStream(of: String.self)
        for _ in 1...10 { source.yield(longText()) }
        source.finish()
        for await _ in stream {}
      },
      RoundTrip("continuations and queues") {
        let text = longText()
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
          DispatchQueue(label: text).async { continuation.resume() }
        }
      },
      RoundTrip("actors") {
        let keeper = Keeper()
        for _ in 1...3 { await keeper.keep(longText()) }
      },
      RoundTrip("publishers") {
        let subject = StateSubject<String, Never>("")
        let token = subject.map { $0 + "!" }.filter { !$0.isEmpty }.sink { _ in }
        subject.value = longText()
        token.cancel()
      },
      RoundTrip("recorders") {
        let subject = StateSubject<Int, Never>(0)
        let recorder = Recorder(subject)
        subject.value = 1
        await recorder.expect(0, 1)
      },
      RoundTrip("waits") {
        let isDone = Locked(false)
        Task { isDone.withLock { $0 = true } }
        await eventually { isDone.withLock { $0 } }
      },
      RoundTrip("expectations of Swift Testing") {
        #expect(longText().count > 1)
        #expect([1, 2, 3].map { $0 + 1 } == [2, 3, 4])
      },
      RoundTrip("a scheduler and a clock") {
        let scheduler = TestScheduler()
        let token = scheduler.schedule(after: .seconds(1)) {}
        scheduler.advance(by: .seconds(2))
        token.cancel()
      },
    ]
  }

  /// Objects here are not released until the attic is cleared.
  private enum Attic {
    private static let kept = Locked<[any Sendable]>([])
    static let names = Locked(Names())
    static let subject = StateSubject<Int, Never>(0)

    static func keep(_ object: any Sendable) { kept.withLock { $0.append(object) } }
    static func clear() { kept.withLock { $0 = [] } }
  }

  private struct Names {
    var names: [String] = []
  }

  private final class Trunk: Sendable {
    let text = longText()
    let numbers = [count(1), 2]
  }

  private struct Label: Codable {
    var text: String
    var number: Int
  }

  private struct Large: Sendable {
    var number: Int
    var more = (1, 2, 3, 4, 5, 6)
  }

  private struct Refusal: Error {
    let reason: String
  }

  private struct Failed: Sendable {
    let error: any Error
  }

  private struct Unchecked: @unchecked Sendable {
    // Unchecked because one test uses it.
    let object: AnyObject

    init(_ object: AnyObject) { self.object = object }
  }

  private struct Unshared: @unchecked Sendable {
    // Unchecked because one test uses it.
    let function: () -> Int

    init(_ function: @escaping () -> Int) { self.function = function }
  }

  private actor Keeper {
    private var texts: [String] = []
    func keep(_ text: String) { texts.append(text) }
  }

  /// Tasks that wait until the test resumes them.
  private enum Waiting {
    private static let all = Locked<[UnsafeContinuation<Void, Never>]>([])

    static func wait() async {
      await withUnsafeContinuation { continuation in all.withLock { $0.append(continuation) } }
    }

    static func resumeAll() {
      let waiting = all.withLock { all in
        defer { all = [] }
        return all
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  // Not inlined: the optimiser would make constants.

  @inline(never) private func longText() -> String {
    String(repeating: "long ", count: count(10))
  }

  @inline(never) private func count(_ number: Int) -> Int { number }

  @inline(never) private func closure(over number: Int) -> @Sendable () -> Int { { number } }

  @inline(never) private func sharing() -> () -> Int {
    var number = count(1)
    return {
      number += 1
      return number
    }
  }

  extension String {
    /// Without the numbers of bytes, which depend on the standard library.
    fileprivate var withoutSizes: String { replacing(#/ \(\d+ bytes\)/#, with: "") }
  }

  extension Failure {
    fileprivate var withoutSizes: Failure {
      var failure = self
      failure.text = text.withoutSizes
      return failure
    }

    fileprivate var withoutTaskNumbers: Failure {
      var failure = withoutFunctions
      failure.text = failure.text.replacing(#/task \d+/#, with: "task *")
      return failure
    }
  }
#endif
