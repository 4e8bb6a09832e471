import ExampleApp
import SleeplessTesting
import XCTest

/// The form that many test targets have a helper for: all states, and no others.
final class FactStateXCTests: XCTestCase {
  // Synchronous, so it runs on the main thread, but for the compiler not on the main actor.
  func testFetchingShowsTheFact() {
    let model = MainActor.assumeIsolated {
      PublishedFactViewModel(service: FactServiceMock(.atOnce(.success(.cats))))
    }

    AssertState().assert(
      when: {
        Task {
          await model.fetch()
        }
      },
      type: ViewState<Fact>.self,
      testCase: self,
      publisher: MainActor.assumeIsolated { model.$state },
      valuesLimit: 3,
      initialAssertions: {
        XCTAssertEqual(MainActor.assumeIsolated { model.state }, .initial)
      },
      valuesAssertions: { values in
        XCTAssertEqual(values, [.initial, .loading, .loaded(.cats)])
      }
    )
  }

  @MainActor
  func testFetchingShowsTheError() async {
    let model = FactViewModel(service: FactServiceMock(.atOnce(.failure(.offline))))

    await AssertState().assert(
      when: {
        Task {
          await model.fetch()
        }
      },
      type: ViewState<Fact>.self,
      testCase: self,
      publisher: model.$state,
      initialAssertions: {
        XCTAssertEqual(model.state, .initial)
      },
      valuesAssertions: { values in
        XCTAssertEqual(values, [.initial, .loading, .error(.offline)])
      }
    )
  }
}
