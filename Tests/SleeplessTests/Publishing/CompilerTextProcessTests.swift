#if os(Linux)
  import Testing

  /// What the compiler says where code for Combine has to change, and which facts about it decide how our
  /// operators are declared.
  @Suite(.timeLimit(.minutes(10))) struct CompilerTextProcessTests {
    private static let source = """
      import Sleepless

      final class Tracks {}
      final class Player: ObservableObject {
        @Published var tracks = Tracks()  // line 5
      }

      func pairs(_ a: AnyPublisher<Int, Never>, _ b: AnyPublisher<Int, Never>) {
        _ = a.combineLatest(b) { }  // line 9
        _ = a.combineLatest(b) { _, _ in }
        _ = a.combineLatest(b) { "\\($0) \\($1)" }
      }

      @MainActor final class Search {
        @Published var text = ""
        var shortest = 3
        func publishers() {
          _ = $text.filter { [weak self] in $0.count > (self?.shortest ?? 0) }  // line 18
          _ = $text.filter { [weak self] text in
            MainActor.assumeIsolated { text.count > (self?.shortest ?? 0) }
          }
          _ = $text.handleEvents(receiveOutput: { [weak self] in self?.shortest = $0.count })
          _ = $text.sink { [weak self] in self?.shortest = $0.count }
        }
      }

      // An unavailable function whose message would say what to do.
      @propertyWrapper struct Wrapper<Value> {
        var wrappedValue: Value
        init(wrappedValue: Value) where Value: Sendable { self.wrappedValue = wrappedValue }
        @available(*, unavailable, message: "Declare the value Sendable.")
        @_disfavoredOverload init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
      }
      struct Wrapped { @Wrapper var tracks = Tracks() }  // line 34

      // Two functions that differ in the actor of a closure, so that one could check it.
      struct Operator {
        func call(_ body: @escaping @Sendable () -> Void) {}
        func call(_ body: @escaping @MainActor @Sendable () -> Void) {}  // line 39
      }

      // A property that `.nothing` finds wherever a publisher is wanted, as `.just(0)` is found.
      extension PublisherType where Self == ErasedPublisher<Output, Failure> {  // line 43
        static var nothing: Self { .empty }
      }
      func merged(_ a: AnyPublisher<Int, Never>) -> [AnyPublisher<Int, Never>] {
        [a.merge(with: .just(1)), a.merge(with: Empty())]
      }
      """

    private static let closures = [
      "9: contextual type for closure argument list expects 2 arguments, which cannot be "
        + "implicitly ignored",
      "18: main actor-isolated property 'shortest' can not be referenced from a Sendable closure",
    ]
    private static let states = [
      "5: type 'Tracks' does not conform to the 'Sendable' protocol",
      "34: type 'Tracks' does not conform to the 'Sendable' protocol",
    ]
    private static let redeclaration = [
      "39: invalid redeclaration of 'call'",
      "43: same-type constraint 'Self' == 'ErasedPublisher<Self.Output, Self.Failure>' is recursive",
    ]

    @Test func `in Swift 5 mode the compiler reports closures of operators on the main actor`()
      async throws
    {
      let run = try await CompilerRun(Self.source, languageMode: 5)
      #expect(run.errors == Self.closures + Self.redeclaration, "\(run.output)")
    }

    @Test func `in Swift 6 mode it also reports states that are not Sendable, at their wrapper`()
      async throws
    {
      let run = try await CompilerRun(Self.source, languageMode: 6)
      #expect(
        run.errors == [Self.states[0]] + Self.closures + [Self.states[1]] + Self.redeclaration,
        "\(run.output)")
    }
  }

  /// Why no function checks all closures that come from an actor: the compiler gives the actor to closures that
  /// need none, and to key paths.
  @MainActor @Suite struct ClosureIsolationTests {
    private nonisolated static func isEmpty(_ text: String) -> Bool { text.isEmpty }

    private func belongsToActor(_ body: @escaping @isolated(any) (String) -> Bool) -> Bool {
      body.isolation != nil
    }

    @Test func `on an actor a closure belongs to it even if it uses nothing of it`() {
      #expect(belongsToActor { $0.isEmpty })
      #expect(belongsToActor(\.isEmpty))
      #expect(!belongsToActor { @Sendable in $0.isEmpty })
      #expect(!belongsToActor(Self.isEmpty))
    }
  }
#endif
