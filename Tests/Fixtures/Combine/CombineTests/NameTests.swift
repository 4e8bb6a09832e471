import Combine
import Observation
import OpenCombine
import SleeplessTesting
import Testing

/// All the names, unqualified, in a file that imports everything. That it compiles is the test.
@Suite struct NameTests {
  private final class Theirs: ObservableObject {
    @Published var count = 0
  }

  private final class Ours: ObservableObjectType {
    @PublishedState var count = 0
  }

  @Observable final class Observed {
    var count = 0
  }

  @Test func `their names mean theirs and our names mean ours`() {
    var theirTokens: Set<AnyCancellable> = []
    var ourTokens: Set<SubscriptionToken> = []
    var counts: [Int] = []

    let theirs = Theirs()
    theirs.objectWillChange.sink { counts.append(-1) }.store(in: &theirTokens)
    theirs.$count.sink { counts.append($0) }.store(in: &theirTokens)
    theirs.count = 1

    let ours = Ours()
    ours.objectWillChange.sink { counts.append(-10) }.store(in: &ourTokens)
    ours.$count.sink { counts.append($0 * 10) }.store(in: &ourTokens)
    ours.count = 1

    #expect(counts == [0, -1, 1, 0, -10, 10])
  }

  @Test func `subjects and erasure side by side`() {
    let theirEvents = PassthroughSubject<Int, Never>()
    let theirState = CurrentValueSubject<Int, Never>(0)
    let theirErased: AnyPublisher<Int, Never> = Just(1).map { $0 + 1 }.eraseToAnyPublisher()
    let ourEvents = EventSubject<Int, Never>()
    let ourState = StateSubject<Int, Never>(0)
    let ourErased: ErasedPublisher<Int, Never> = .just(1).map { $0 + 1 }.eraseToAnyPublisher()
    var sum = 0
    let theirTokens: [any Cancellable] = [
      theirEvents.sink { sum += $0 }, theirState.sink { sum += $0 }, theirErased.sink { sum += $0 },
    ]
    let ourTokens: [any CancellableType] = [
      ourEvents.sink { sum += $0 }, ourState.sink { sum += $0 }, ourErased.sink { sum += $0 },
    ]
    theirEvents.send(10)
    ourEvents.send(100)
    #expect(sum == 2 + 2 + 110)
    withExtendedLifetime((theirTokens, ourTokens)) {}
  }

  @Test func `completions side by side`() {
    let theirs: Subscribers.Completion<Never> = .finished
    let ours: PublisherCompletion<Never> = .finished
    #expect(theirs == .finished)
    #expect(ours == .finished)
  }

  @Test func `observation is left alone`() {
    let observed = Observed()
    var isTracked = false
    withObservationTracking {
      isTracked = observed.count == 0
    } onChange: {
    }
    #expect(isTracked)
  }
}
