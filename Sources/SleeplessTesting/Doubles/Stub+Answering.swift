import Sleepless

extension Stub {
  /// The answer for a call, or how the call has ended already.
  private enum Reply {
    case answer(StubAnswer<Value>, CallSite)
    case end(CallEnd<Value>)
  }

  private func reply(to arguments: Arguments) -> Reply {
    if let refusal = calls.record(arguments) { return .end(.reported(refusal)) }
    // Conditions are the user's code and must not run under the lock.
    let rules = state.withLock { $0.rules.map { $0 } }
    let numbers = rules.filter { $0.condition?(arguments) ?? true }.map(\.number)
    switch state.withLock({ $0.take(from: numbers) }) {
    case .answer(let answer, let site), .standing(.answer(let answer), let site):
      return .answer(answer, site)
    case .standing(.closure(let closure), _):
      do {
        return .end(.value(try closure(arguments)))
      } catch {
        return .end(.error(error))
      }
    case .usedUp(let rule):
      return .end(.reported(owner.failure(usedUpText(arguments, rule))))
    case .none:
      return .end(.reported(owner.failure(unansweredText(arguments))))
    }
  }

  // MARK: The three forms

  /// Answers a synchronous call.
  func answerNow(_ arguments: Arguments) -> CallEnd<Value> {
    switch reply(to: arguments) {
    case .end(let end): return end
    case .answer(let answer, let site):
      switch answer.kind {
      case .value(let value): return .value(value)
      case .error(let error): return .error(error)
      case .held, .after:
        return .reported(owner.failure(synchronousText(arguments, answer, site)))
      }
    }
  }

  /// Answers an async call.
  func answer(_ arguments: Arguments) async -> CallEnd<Value> {
    switch reply(to: arguments) {
    case .end(let end): return end
    case .answer(var answer, let site):
      while true {
        switch answer.kind {
        case .value(let value): return .value(value)
        case .error(let error): return .error(error)
        case .held(let gate): return await gate.hold(argumentText(of: arguments))
        case .after(let delay, let time, let next):
          guard let scheduler = time.scheduler(owner) else {
            return .reported(owner.failure(owner.noTimeText(delay, site)))
          }
          do { try await scheduler.clock.sleep(for: delay) } catch { return .cancelled }
          answer = next
        }
      }
    }
  }

  /// Answers a call with a completion handler.
  func answer(
    _ arguments: Arguments, _ completion: @escaping @Sendable (CallEnd<Value>) -> Void
  ) {
    switch reply(to: arguments) {
    case .end(let end): completion(end)
    case .answer(let answer, let site):
      answer.deliver(of: owner, argumentText(of: arguments), at: site, completion)
    }
  }
}

extension StubAnswer {
  /// Calls back with the answer when it is due. It does not keep the stub, whose release may count as
  /// the end of its test.
  fileprivate func deliver(
    of owner: DoubleOwner, _ arguments: String?, at site: CallSite,
    _ completion: @escaping @Sendable (CallEnd<Value>) -> Void
  ) {
    switch kind {
    case .value(let value): completion(.value(value))
    case .error(let error): completion(.error(error))
    case .held(let gate): gate.hold(arguments, completion)
    case .after(let delay, let time, let next):
      guard let scheduler = time.scheduler(owner) else {
        return completion(.reported(owner.failure(owner.noTimeText(delay, site))))
      }
      _ = scheduler.schedule(
        after: delay, tolerance: .zero, label: "answer of \(owner.name)", at: site
      ) { next.deliver(of: owner, arguments, at: site, completion) }
    }
  }
}
