#if !canImport(Combine)
  import Sleepless
  import Testing
  import TestSupport

  /// Combine's names of publishers, where there is no Combine. `WrittenForCombine` has those that OpenCombine has, too.
  @Suite struct CombineNamesTests {
    let subject = EventSubject<Int, Oops>()
    let other = EventSubject<Int, Oops>()
    let log = Log<String>()

    private func record(_ publisher: some PublisherType<some Any, some Error>) -> SubscriptionToken
    {
      publisher.sink(into: log, as: "")
    }

    @Test func `Just sends one value and finishes, to each subscriber`() {
      let just = Just(1)
      let tokens = [record(just), record(just.setFailureType(to: Oops.self))]
      #expect(log.values == ["1", ".", "1", "."])
      withExtendedLifetime(tokens) {}
    }

    @Test func `Empty finishes, or never ends`() {
      let tokens = [
        record(Empty<Int, Oops>()),
        record(Empty(completeImmediately: false, outputType: Int.self, failureType: Oops.self)),
      ]
      #expect(log.values == ["."])
      withExtendedLifetime(tokens) {}
    }

    @Test func `Fail sends its error`() {
      let tokens = [
        record(Fail<Int, Oops>(error: .no)), record(Fail(outputType: Int.self, failure: Oops.no)),
      ]
      #expect(log.values == ["!", "!"])
      withExtendedLifetime(tokens) {}
    }

    @Test func `a result's publisher sends the value and finishes, or sends the error`() {
      let results: [Result<Int, Oops>] = [.success(1), .failure(.no)]
      let tokens = results.map { record($0.publisher) }
      #expect(log.values == ["1", ".", "!"])
      withExtendedLifetime(tokens) {}
    }

    @Test func `Publishers CombineLatest sends pairs, and ends as combineLatest does`() {
      let token = record(
        Publishers.CombineLatest(subject, other.map { "\($0)!" }).map { "\($0) \($1)" })
      subject.send(1)
      other.send(2)
      subject.send(3)
      other.send(completion: .failure(.no))
      #expect(log.values == ["1 2!", "3 2!", "!"])
      #expect(subject.subscriberCount == 0)
      withExtendedLifetime(token) {}
    }

    @Test func `Publishers CombineLatest3 sends triples`() {
      let third = StateSubject<String, Oops>("x")
      let token = record(Publishers.CombineLatest3(subject, other, third).map { "\($0)\($1)\($2)" })
      subject.send(1)
      other.send(2)
      third.send("y")
      #expect(log.values == ["12x", "12y"])
      token.cancel()
      #expect(third.subscriberCount + subject.subscriberCount + other.subscriberCount == 0)
    }

    @Test func `Publishers Merge sends the events of both and finishes with the second`() {
      let token = record(Publishers.Merge(subject, other))
      subject.send(1)
      other.send(2)
      other.send(completion: .finished)
      subject.send(completion: .finished)
      #expect(log.values == ["1", "2", "."])
      withExtendedLifetime(token) {}
    }
  }
#endif
