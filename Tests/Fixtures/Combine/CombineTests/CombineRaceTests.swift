// virtual time: all sleeps are in simulations
import Combine
import Dispatch
import Foundation
import OpenCombineDispatch
import OpenCombineFoundation
import Sleepless
import SleeplessTesting
import Testing

#if os(Linux)
  /// Races between pipelines and tasks, which explorations find with nothing injected, and their correct twins.
  @Suite struct CombineRaceTests {
    /// A text that is saved when the user has not typed for 300 ms.
    @MainActor private final class Draft {
      let text = CurrentValueSubject<String, Never>("")
      private(set) var saved = ""
      private var saving: AnyCancellable?

      init<S: Scheduler>(on scheduler: S) {
        saving = text.debounce(for: .milliseconds(300), scheduler: scheduler)
          .receive(on: DispatchQueue.main.ocombine)
          .sink { [unowned self] text in MainActor.assumeIsolated { saved = text } }
      }

      /// Saves at once what would be saved later.
      func saveNow() -> String {
        saving = nil
        saved = text.value
        return saved
      }
    }

    /// What is sent 300 ms after the last letter.
    @MainActor private static func sent(
      _ place: Place, _ text: (Draft) -> String
    ) async throws -> String {
      let draft = Draft(on: place.scheduler)
      for letters in ["h", "he", "hello"] {
        draft.text.send(letters)
        if letters != "hello" { try await Task.sleep(for: .milliseconds(100)) }
      }
      try await Task.sleep(for: .milliseconds(300))
      return text(draft)
    }

    @MainActor @Test(.simulated, arguments: [Place.mainQueue, .mainRunLoop])
    func `in the usual order the draft is saved in time`(place: Place) async throws {
      #expect(try await Self.sent(place, \.saved) == "hello")
    }

    @MainActor @Test(arguments: [Place.mainQueue, .mainRunLoop, .serialQueue])
    func `S7 a draft that is sent before it is saved is found`(place: Place) async {
      await withKnownIssue {
        try await explore {
          let sent = try await Self.sent(place, \.saved)
          #expect(sent == "hello")
        }
      }
    }

    @MainActor @Test(.explored, arguments: [Place.mainQueue, .mainRunLoop, .serialQueue])
    func `a draft that is saved first is sent whole in each order`(place: Place) async throws {
      #expect(try await Self.sent(place) { $0.saveNow() } == "hello")
    }

    /// Numbers that are received on a queue.
    private static func received(_ queue: DispatchQueue) async -> [Int] {
      let received = Locked<[Int]>([])
      let token = (1...3).publisher.receive(on: queue.ocombine)
        .sink { number in received.withLock { $0.append(number) } }
      await settle()
      token.cancel()
      return received.withLock { $0 }
    }

    @Test func `S7 values that overtake each other on a concurrent queue are found`() async {
      await withKnownIssue {
        try await explore { #expect(await Self.received(.global()) == [1, 2, 3]) }
      }
    }

    @Test(.explored) func `values keep their order on a serial queue`() async {
      #expect(await Self.received(DispatchQueue(label: "values")) == [1, 2, 3])
    }
  }
#endif
