// virtual time: what sleeps here does so in simulations
import Sleepless
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Read every state".
@Suite enum TutorialStep5 {
  #sourceLocation(file:"ShowModel.swift",line:3)
  @MainActor
  final class ShowModel {
    enum State: Equatable { case initial, loading, loaded(String) }

    @PublishedState private(set) var state = State.initial
    private let title: () async -> String

    init(title: @escaping () async -> String) { self.title = title }

    func load() async {
      state = .loading
      state = .loaded(await title())
    }

    func reload() async {
      state = .initial
      await load()
    }
  }
  #sourceLocation()

  @Suite enum LastState {
    #sourceLocation(file:"ShowModelTests.swift",line:5)
    @MainActor
    @Suite struct ShowModelTests {
      let model = ShowModel(title: { "Hamlet" })

      @Test func `the title is shown`() async {
        await model.load()
        #expect(model.state == .loaded("Hamlet"))
      }

      @Test func `the title is loaded again`() async {
        await model.load()
        await model.reload()
        #expect(model.state == .loaded("Hamlet"))
      }
    }
    #sourceLocation()
  }

  @Suite enum OneRecorder {
    #sourceLocation(file:"ShowModelTests.swift",line:6)
    @MainActor
    @Suite(.checkedAtEnd) struct ShowModelTests {
      let model = ShowModel(title: { "Hamlet" })

      @Test func `the title is shown`() async {
        let states = Recorder(model.$state, "states")
        await model.load()
        await states.expect(.initial, .loading, .loaded("Hamlet"))
      }

      @Test func `the title is loaded again`() async {
        await model.load()
        await model.reload()
        #expect(model.state == .loaded("Hamlet"))
      }
    }
    #sourceLocation()
  }

  @Suite(.fails(as: "05-5-console.txt", in: "the title is loaded again")) enum TwoRecorders {
    #sourceLocation(file:"ShowModelTests.swift",line:6)
    @MainActor
    @Suite(.checkedAtEnd) struct ShowModelTests {
      let model = ShowModel(title: { "Hamlet" })

      @Test func `the title is shown`() async {
        let states = Recorder(model.$state, "states")
        await model.load()
        await states.expect(.initial, .loading, .loaded("Hamlet"))
      }

      @Test func `the title is loaded again`() async {
        await model.load()
        let states = Recorder(model.$state, "states")
        await model.reload()
        await states.expect(.loaded("Hamlet"), .loading, .loaded("Hamlet"))
      }
    }
    #sourceLocation()
  }

  @Suite enum Repaired {
    #sourceLocation(file:"ShowModel.swift",line:3)
    @MainActor
    final class ShowModel {
      enum State: Equatable { case initial, loading, loaded(String) }

      @PublishedState private(set) var state = State.initial
      private let title: () async -> String

      init(title: @escaping () async -> String) { self.title = title }

      func load() async {
        state = .loading
        state = .loaded(await title())
      }

      func reload() async {
        await load()
      }
    }
    #sourceLocation()

    #sourceLocation(file:"ShowModelTests.swift",line:6)
    @MainActor
    @Suite(.checkedAtEnd) struct ShowModelTests {
      let model = ShowModel(title: { "Hamlet" })

      @Test func `the title is shown`() async {
        let states = Recorder(model.$state, "states")
        await model.load()
        await states.expect(.initial, .loading, .loaded("Hamlet"))
      }

      @Test func `the title is loaded again`() async {
        await model.load()
        let states = Recorder(model.$state, "states")
        await model.reload()
        await states.expect(.loaded("Hamlet"), .loading, .loaded("Hamlet"))
      }
    }
    #sourceLocation()
  }
}
