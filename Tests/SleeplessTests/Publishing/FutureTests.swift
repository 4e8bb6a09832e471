#if !canImport(Combine)
  import Sleepless
  import Testing
  import TestSupport

  @Suite struct FutureTests {
    let log = Log<String>()

    private func promised() -> (Future<Int, Oops>, Future<Int, Oops>.Promise) {
      var promise: Future<Int, Oops>.Promise?
      let future = Future<Int, Oops> { promise = $0 }
      return (future, promise!)
    }

    @Test func `Future calls its closure once, before it has a subscriber`() {
      let future = Future<Int, Oops> { promise in
        log.append("closure")
        promise(.success(1))
      }
      #expect(log.values == ["closure"])
      let tokens = ["a", "b"].map { future.sink(into: log, as: $0) }
      #expect(log.values == ["closure", "a1", "a.", "b1", "b."])
      withExtendedLifetime(tokens) {}
    }

    @Test func `P1 P3 a result that comes later goes to each subscriber, in their order`() {
      let (future, promise) = promised()
      let tokens = ["a", "b"].map { future.sink(into: log, as: $0) }
      #expect(log.values == [])
      promise(.success(1))
      promise(.success(2))
      promise(.failure(.no))
      #expect(log.values == ["a1", "a.", "b1", "b."])
      withExtendedLifetime(tokens) {}
    }

    @Test func `P3 Future sends the error that was promised, and none after a value`() {
      let (future, promise) = promised()
      let first = future.sink(into: log, as: "a")
      promise(.failure(.no))
      promise(.success(1))
      let second = future.sink(into: log, as: "b")
      #expect(log.values == ["a!", "b!"])
      withExtendedLifetime((first, second)) {}
    }

    @Test func `P2 P4 a callback of Future may subscribe, promise and cancel`() {
      let (future, promise) = promised()
      let tokens = Log<SubscriptionToken>()
      tokens.append(
        future.sink(into: log, as: "a") { [log] value in
          guard value != nil else { return }
          promise(.success(2))
          tokens.append(future.sink(into: log, as: "c"))
          for token in tokens.values.prefix(2) { token.cancel() }
        })
      tokens.append(future.sink(into: log, as: "b"))
      promise(.success(1))
      #expect(log.values == ["a1", "c1", "c."])
    }

    @Test func `P6 Future releases its subscribers after the result, and after a cancellation`() {
      let (future, promise) = promised()
      func subscribe(_ name: String) -> SubscriptionToken {
        let probe = Probe { [log] in log.append(name) }
        return future.sink { _ in
        } receiveValue: { _ in
          probe.touch()
        }
      }
      let tokens = ["cancelled", "finished"].map(subscribe)
      tokens[0].cancel()
      #expect(log.values == ["cancelled"])
      promise(.success(1))
      #expect(log.values == ["cancelled", "finished"])
      withExtendedLifetime((future, tokens)) {}
    }

    @Test func `a promise whose future was released has an effect on its subscribers alone`() {
      var (future, promise): (Future<Int, Oops>?, Future<Int, Oops>.Promise) = promised()
      weak let weakFuture = future
      let token = future?.sink(into: log, as: "")
      future = nil
      #expect(weakFuture == nil)
      promise(.success(1))
      #expect(log.values == ["1", "."])
      withExtendedLifetime(token) {}
    }

    @Test func `P6 a future without a result, and its subscribers, go with the promise`() {
      var (future, promise): (Future<Int, Oops>?, Future<Int, Oops>.Promise?) = promised()
      let probe = Locked<Probe?>(Probe { [log] in log.append("released") })
      let token = future?.sink(
        receiveCompletion: { _ in },
        receiveValue: { [probe = probe.withLock { $0.take() }] _ in probe?.touch() })
      #expect(promise != nil)
      (future, promise) = (nil, nil)
      #expect(log.values == ["released"])
      withExtendedLifetime(token) {}
    }

    @Test(.timeLimit(.minutes(10)))
    func `of results promised on several threads one counts, for every subscriber`() async {
      for _ in 0..<rounds(100) {
        let (future, promise) = promised()
        let log = Log<String>()
        let tokens = Log<SubscriptionToken>()
        await withTaskGroup { group in
          for number in 0..<2 {
            group.addTask { await onThread { promise(.success(number)) } }
          }
          group.addTask {
            await onThread { tokens.append(future.sink(into: log, as: "")) }
          }
        }
        #expect([["0", "."], ["1", "."]].contains(log.values))
      }
    }

    // MARK: Deferred

    @Test func `Deferred makes a publisher for each subscriber, and passes its events on`() {
      let subject = EventSubject<Int, Oops>()
      let deferred = Deferred { [log] in
        log.append("made")
        return subject
      }
      #expect(log.values == [])
      let tokens = ["a", "b"].map { deferred.sink(into: log, as: $0) }
      #expect(log.values == ["made", "made"])
      subject.send(1)
      tokens[0].cancel()
      subject.send(completion: .failure(.no))
      withExtendedLifetime(tokens) {}
      #expect(log.values == ["made", "made", "a1", "b1", "b!"])
      #expect(subject.subscriberCount == 0)
    }

    @Test func `Deferred starts a Future anew for each subscriber`() {
      let calls = Log<Int>()
      let deferred = Deferred {
        Future<Int, Never> { promise in
          calls.append(1)
          promise(.success(calls.values.count))
        }
      }
      let tokens = ["a", "b"].map { deferred.sink(into: log, as: $0) }
      #expect(log.values == ["a1", "a.", "b2", "b."])
      withExtendedLifetime(tokens) {}
    }
  }
#endif
