// virtual time: what sleeps here does so in simulations
import Foundation
import SleeplessSimulation
import SleeplessTesting
import TestSupport
import Testing

/// The failures that README.md shows, with the files and lines of their readers.
@Suite(.needs(.capture), .failsAsInReadme) enum ReadmeOutputs {
  #sourceLocation(file:"Index.swift",line:1)
  actor Index {
    func update() async {
      try? await Task.sleep(for: .seconds(3))
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
  }

  #sourceLocation()

  #sourceLocation(file:"SearchModel.swift",line:1)
  final class SearchModel: Sendable {
    private let index = Index()

    func results(for text: String) async -> [String] {
      Task(name: "indexer") { await index.update() }
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      return [text]
    }
  }
  #sourceLocation()

  #sourceLocation(file:"SearchTests.swift",line:25)
  @Suite struct SearchTests {

    @Test(.simulated) func finds() async {
      let model = SearchModel()
      #expect(await model.results(for: "swift") == ["swift.org"])
    }
  }
  #sourceLocation()

  #sourceLocation(file:"RentTests.swift",line:1)
  actor Purse {
    private(set) var content: Int

    init(content: Int) { self.content = content }

    func pay(_ price: Int) async {
      guard content >= price else { return }

      await Task.yield()
      content -= price
    }
  }

  @Suite struct RentTests {
    @Test(.explored) func `two rents are not paid from one purse`() async {
      let purse = Purse(content: 100)
      async let first: Void = purse.pay(80)
      async let second: Void = purse.pay(80)
      _ = await (first, second)
      #expect(await purse.content >= 0)
    }
  }
  #sourceLocation()

  enum CatState: Equatable { case initial, loading, loaded(String), failed(Trouble) }

  @MainActor final class CatModel {
    @PublishedState private(set) var state = CatState.initial

    func load() {
      state = .loading
      Task {
        try await Task.sleep(for: .seconds(1.5))
        state = .failed(.offline)
      }
    }
  }

  #sourceLocation(file:"CatTests.swift",line:8)
  @MainActor @Suite struct CatTests {

    @Test(.simulated) func loads() async {
      let model = CatModel()
      let states = Recorder(model.$state, "states")
      model.load()
      await states.expect(.initial, .loading, .loaded("Tom"))
    }
  }
  #sourceLocation()

  final class ProfileService {
    var callbacks: [() -> Void] = []
  }

  final class ProfileViewModel {
    private let service: ProfileService

    init(service: ProfileService) { self.service = service }

    func load() { service.callbacks.append { self.show() } }

    func show() {}
  }

  #sourceLocation(file:"ProfileTests.swift",line:7)
  @Suite struct ProfileTests {
    @Test func `a profile's model is released`() {
      expectDeallocated {
        let model = ProfileViewModel(service: ProfileService())
        model.load()
        return model
      }
    }
  }
  #sourceLocation()
}

/// Expects the failures of a test, and looks for them in README.md.
private struct FailsAsInReadmeTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !test.isSuite else { return try await function() }
    let failures = Log<String>()
    let file = try TextFile(path: "Tests/DocumentationTests/ReadmeOutputs.swift")
    try await withKnownIssue {
      try await SourceExcerpt.$contents.withValue(file.shownFiles) { try await function() }
    } matching: { issue in
      failures.append(issue.asPrinted)
      return true
    }
    // The optimiser changes the steps of a schedule and the string that replays it.
    #if DEBUG
      let printed = failures.values.joined(separator: "\n")
        .replacing(/ReadmeOutputs\.swift:(\d+)/) { file.place(ofLine: Int($0.1)!) }
        .replacing("ReadmeOutputs.", with: "")
      let shown = try TextFile(path: "README.md").textBlocks
      #expect(
        shown.contains { printed.words.starts(with: $0.words) },
        "No block of text in README.md is the beginning of this:\n\(printed)")
    #endif
  }
}

extension Trait where Self == FailsAsInReadmeTrait {
  fileprivate static var failsAsInReadme: Self { FailsAsInReadmeTrait() }
}

extension TextFile {
  /// The contents of the blocks that are fenced as `text`.
  fileprivate var textBlocks: [String] {
    lines.joined(separator: "\n").matches(of: /```text\n((?:.*\n)*?)```/).map { String($0.1) }
  }
}
