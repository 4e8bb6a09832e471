// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Hold an answer back".
@Suite(.needs(.capture)) enum TutorialStep4 {
  @Suite enum Answering {
    #sourceLocation(file:"SearchModel.swift",line:1)
    protocol SearchService: Sendable {
      func shows(named text: String) async throws -> [String]
    }

    /// Searches each time the text changes.
    @MainActor
    final class SearchModel {
      private(set) var shows: [String] = []
      private let service: any SearchService

      init(service: any SearchService) { self.service = service }

      func type(_ text: String) {
        Task {
          let found = try? await service.shows(named: text)
          shows = found ?? []
        }
      }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchServiceMock.swift",line:5)
    struct SearchServiceMock: SearchService {
      let fetch = Stub<String, [String]>("shows(named:)")

      func shows(named text: String) async throws -> [String] { try await fetch(text) }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchModelTests.swift",line:6)
    @MainActor
    @Suite(.simulated) struct SearchModelTests {
      let service = SearchServiceMock()

      @Test func `an answer is shown`() async {
        service.fetch.always(.after(.seconds(2), .value(["Hamlet"])))
        let model = SearchModel(service: service)
        model.type("Hamlet")
        await settle()
        #expect(model.shows == ["Hamlet"])
      }
    }
    #sourceLocation()
  }

  @Suite(.fails(as: "04-5-console.txt", in: "a late answer to an older text is not shown"))
  enum AnsweringLate {
    #sourceLocation(file:"SearchModel.swift",line:1)
    protocol SearchService: Sendable {
      func shows(named text: String) async throws -> [String]
    }

    /// Searches each time the text changes.
    @MainActor
    final class SearchModel {
      private(set) var shows: [String] = []
      private let service: any SearchService

      init(service: any SearchService) { self.service = service }

      func type(_ text: String) {
        Task {
          let found = try? await service.shows(named: text)
          shows = found ?? []
        }
      }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchServiceMock.swift",line:5)
    struct SearchServiceMock: SearchService {
      let fetch = Stub<String, [String]>("shows(named:)")

      func shows(named text: String) async throws -> [String] { try await fetch(text) }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchModelTests.swift",line:6)
    @MainActor
    @Suite(.simulated) struct SearchModelTests {
      let service = SearchServiceMock()

      @Test func `an answer is shown`() async {
        service.fetch.always(.after(.seconds(2), .value(["Hamlet"])))
        let model = SearchModel(service: service)
        model.type("Hamlet")
        await settle()
        #expect(model.shows == ["Hamlet"])
      }

      @Test func `a late answer to an older text is not shown`() async throws {
        let gate = Gate<[String]>("answers")
        service.fetch.always(.held(by: gate))
        let model = SearchModel(service: service)

        model.type("Ha")
        let older = try await gate.entered()
        model.type("Hamlet")
        let newer = try await gate.entered()

        newer.succeed(with: ["Hamlet"])
        older.succeed(with: ["Hair", "Hamlet"])
        await settle()
        #expect(model.shows == ["Hamlet"])
      }
    }
    #sourceLocation()
  }

  @Suite enum Repaired {
    #sourceLocation(file:"SearchModel.swift",line:1)
    protocol SearchService: Sendable {
      func shows(named text: String) async throws -> [String]
    }

    /// Searches each time the text changes.
    @MainActor
    final class SearchModel {
      private(set) var shows: [String] = []
      private let service: any SearchService
      private var text = ""

      init(service: any SearchService) { self.service = service }

      func type(_ text: String) {
        self.text = text
        Task {
          let found = try? await service.shows(named: text)
          guard text == self.text else { return }
          shows = found ?? []
        }
      }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchServiceMock.swift",line:5)
    struct SearchServiceMock: SearchService {
      let fetch = Stub<String, [String]>("shows(named:)")

      func shows(named text: String) async throws -> [String] { try await fetch(text) }
    }
    #sourceLocation()

    #sourceLocation(file:"SearchModelTests.swift",line:6)
    @MainActor
    @Suite(.simulated) struct SearchModelTests {
      let service = SearchServiceMock()

      @Test func `an answer is shown`() async {
        service.fetch.always(.after(.seconds(2), .value(["Hamlet"])))
        let model = SearchModel(service: service)
        model.type("Hamlet")
        await settle()
        #expect(model.shows == ["Hamlet"])
      }

      @Test func `a late answer to an older text is not shown`() async throws {
        let gate = Gate<[String]>("answers")
        service.fetch.always(.held(by: gate))
        let model = SearchModel(service: service)

        model.type("Ha")
        let older = try await gate.entered()
        model.type("Hamlet")
        let newer = try await gate.entered()

        newer.succeed(with: ["Hamlet"])
        older.succeed(with: ["Hair", "Hamlet"])
        await settle()
        #expect(model.shows == ["Hamlet"])
      }
    }
    #sourceLocation()
  }
}
