import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct FactStateTests {
  @Test func `fetching shows the fact`() async {
    let model = FactViewModel(service: FactServiceMock(.atOnce(.success(.cats))))

    await AssertState().assert(
      when: { await model.fetch() },
      type: ViewState<Fact>.self,
      publisher: model.$state,
      initialAssertions: {
        #expect(model.state == .initial)
      },
      valuesAssertions: { values in
        #expect(values == [.initial, .loading, .loaded(.cats)])
      }
    )
  }
}
