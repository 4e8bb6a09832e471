import Dispatch
import Sleepless
import Testing
import TestSupport

/// The rules of publishers, for every operator. `OperatorThreadTests` has the rules about threads.
@Suite struct OperatorRuleTests {
  let inputs = OperatorInputs()

  // MARK: P1 Order

  @Test(arguments: TestedOperator.all)
  func `P1 values come in their order, none twice and none lost`(tested: TestedOperator) {
    let receiver = Receiver()
    let token = tested.subscribe(receiver, to: inputs)
    inputs.sendOneByOne(1...5)
    #expect(receiver.signals == tested.signals(of: Array(1...5), then: nil))
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.all.filter { !$0.dropsValues })
  func `P1 values and an end of one instant come in their order`(tested: TestedOperator) {
    let receiver = Receiver()
    let token = tested.subscribe(receiver, to: inputs)
    for value in 1...5 { inputs.send(value) }
    inputs.finish()
    inputs.settle()
    #expect(receiver.signals == tested.signals(of: Array(1...5), then: .finished))
    withExtendedLifetime(token) {}
  }

  // MARK: P3 The end

  @Test(arguments: TestedOperator.all)
  func `P3 one end comes, and nothing follows what the publishers send after it`(
    tested: TestedOperator
  ) {
    let receiver = Receiver()
    let token = tested.subscribe(receiver, to: inputs)
    inputs.sendOneByOne(1...3)
    for _ in 0..<2 {
      inputs.finish()
      inputs.settle()
      inputs.fail()
      inputs.sendOneByOne(4...5)
      tested.sendToOther?(inputs, 6)
    }
    #expect(receiver.signals == tested.signals(of: Array(1...3), then: .finished))
    #expect(inputs.leftovers == 0)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.fallible)
  func `P3 a failure comes once, and no subscription or work is left`(tested: TestedOperator) {
    let receiver = Receiver()
    let token = tested.subscribe(receiver, to: inputs)
    inputs.sendOneByOne([1])
    inputs.fail()
    inputs.settle()
    #expect(inputs.leftovers == 0)
    inputs.sendOneByOne(2...3)
    tested.sendToOther?(inputs, 4)
    inputs.fail()
    inputs.finish()
    inputs.settle()
    #expect(receiver.signals == tested.signals(of: [1], then: .failed))
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.all, [Signal.finished, .failed])
  func `P3 a subscriber that comes after the end gets the end`(
    tested: TestedOperator, end: Signal
  ) {
    guard end == .finished || tested.canFail else { return }
    let receiver = Receiver()
    if end == .finished { inputs.finish() } else { inputs.fail() }
    let token = tested.subscribe(receiver, to: inputs)
    #expect(receiver.signals == tested.signals(of: [], then: end))
    #expect(inputs.leftovers == 0)
    withExtendedLifetime(token) {}
  }

  // MARK: P2 Events that a callback sends

  @Test(arguments: TestedOperator.all, [false, true])
  func `P2 what a callback sends comes after the present value, in no nested call`(
    tested: TestedOperator, isState: Bool
  ) {
    // A state sends 1 at the subscription, when other publishers may have no subscriber yet.
    let inputs = OperatorInputs(startingWith: isState ? 1 : nil)
    let sendToOther = isState ? nil : tested.sendToOther
    let next = Locked(isState ? 2 : 1)
    /// Sends the numbers up to 5 and the end, one at each call; even ones from another publisher, if there is one.
    @Sendable func sendNext() {
      let number = next.withLock { next in
        defer { next += 1 }
        return next
      }
      switch (number, sendToOther) {
      case (6..., _): inputs.finish()
      case (2, let send?), (4, let send?): send(inputs, number)
      default: inputs.send(number)
      }
    }
    let receiver = Receiver { if $0.isValue { sendNext() } }
    let token = tested.subscribe(receiver, to: inputs)
    while next.withLock({ $0 <= 6 }) {
      sendNext()
      inputs.settle()
    }
    #expect(tested.numbers(in: receiver.outputs) == tested.numbers(of: Array(1...5)))
    #expect(receiver.signals.last == ".")
    #expect(!receiver.hasOverlapped)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.all)
  func `P2 T9 a callback may wait for a thread that uses the publishers, and no call overlaps`(
    tested: TestedOperator
  ) async {
    let publisher = tested.make(inputs, Hook())
    let hasBegun = Locked(false)
    let results = Log<DispatchTimeoutResult>()
    let receiver = Receiver { [inputs] _ in
      guard hasBegun.setForTheFirstTime() else { return }
      let isDone = DispatchSemaphore(value: 0)
      startThread {
        inputs.send(101)
        tested.sendToOther?(inputs, 102)
        publisher { _ in }.cancel()
        isDone.signal()
      }
      // real time: a timeout in case of a deadlock
      results.append(isDone.wait(timeout: .now() + 10))
    }
    let token = publisher { receiver.receive($0) }
    await onThread { [inputs] in
      inputs.settle()
      inputs.sendOneByOne(1...3)
      inputs.finish()
      inputs.settle()
    }
    #expect(results.values == [.success])
    #expect(!receiver.hasOverlapped)
    withExtendedLifetime(token) {}
  }

  // MARK: P4 Cancellation

  @Test(arguments: TestedOperator.all, [false, true])
  func `P4 nothing comes after a cancellation in a callback, and nothing is left`(
    tested: TestedOperator, isEnding: Bool
  ) {
    let tokens = Log<SubscriptionToken>()
    let receiver = Receiver { [inputs] _ in
      inputs.send(101)
      tested.sendToOther?(inputs, 102)
      if isEnding { inputs.finish() }
      tokens.values[0].cancel()
      inputs.send(103)
      tested.sendToOther?(inputs, 104)
    }
    tokens.append(tested.subscribe(receiver, to: inputs))
    inputs.sendOneByOne(1...3)
    // `collect` sends its values at the end.
    if receiver.signals.isEmpty { inputs.finish() }
    inputs.settle()
    #expect(receiver.signals == [tested.signals(of: Array(1...3), then: .finished)[0]])
    #expect(inputs.leftovers == 0)
  }

  @Test(arguments: TestedOperator.withClosure)
  func `P4 nothing comes after a cancellation in the operator's own closure`(
    tested: TestedOperator
  ) {
    let tokens = Log<SubscriptionToken>()
    let log = Log<String>()
    let receiver = Receiver { log.append($0.text) }
    let hook = Hook {
      tokens.values[0].cancel()
      log.append("cancelled")
    }
    tokens.append(tested.subscribe(receiver, to: inputs, hook: hook))
    inputs.sendOneByOne(1...3)
    // `catch` calls its closure for a failure.
    if !log.values.contains("cancelled") { inputs.fail() }
    #expect(log.values.last == "cancelled")
    #expect(inputs.leftovers == 0)
  }

  // MARK: P1 P5 Subscriptions in a callback

  @Test(arguments: TestedOperator.all)
  func `P1 a subscriber that comes in a callback gets the later events, and the first one all`(
    tested: TestedOperator
  ) {
    let (first, second, latest) = receiveWithLateSubscriber(tested, inputs, [1, 2, 3, 4, 5])
    #expect(first.signals == tested.signals(of: Array(1...5), then: .finished))
    let later = (1...5).filter { $0 > latest }
    #expect(second.signals == tested.signals(of: later, then: .finished))
  }

  @Test(arguments: TestedOperator.all)
  func `P5 the current value of a state comes once, also to a subscriber that comes in a callback`(
    tested: TestedOperator
  ) {
    let inputs = OperatorInputs(startingWith: 1)
    let (first, second, latest) = receiveWithLateSubscriber(tested, inputs, [2, 3, 4, 5])
    #expect(first.signals == tested.signals(of: Array(1...5), then: .finished))
    // After the end a state gives no value, and a shared state gives its value to the first subscriber only.
    let later = (1...5).filter { tested.isShared ? $0 > latest : $0 >= latest }
    #expect(second.signals == tested.signals(of: later, then: .finished))
  }

  /// Sends the values and the end. A second subscriber comes in the callback for the first one's first event. Also
  /// returns the last number that was sent before; the end counts as 6.
  private func receiveWithLateSubscriber(
    _ tested: TestedOperator, _ inputs: OperatorInputs, _ values: [Int]
  ) -> (first: Receiver, second: Receiver, latest: Int) {
    let publisher = tested.make(inputs, Hook())
    let sent = Locked(values[0] - 1)
    let latest = Locked<Int?>(nil)
    let tokens = Log<SubscriptionToken>()
    let second = Receiver()
    let first = Receiver { _ in
      let isFirst = latest.withLock { latest in
        defer { latest = latest ?? sent.withLock { $0 } }
        return latest == nil
      }
      if isFirst { tokens.append(publisher { second.receive($0) }) }
    }
    tokens.append(publisher { first.receive($0) })
    inputs.settle()
    for value in values {
      sent.withLock { $0 = value }
      inputs.sendOneByOne([value])
    }
    sent.withLock { $0 = 6 }
    inputs.finish()
    inputs.settle()
    return withExtendedLifetime(tokens) { (first, second, latest.withLock { $0 ?? 6 }) }
  }

  // MARK: P6 Release

  @Test(arguments: TestedOperator.all, ReleaseTests.Ending.allCases)
  func `P6 closures and publishers are released after the subscription, although its token lives`(
    tested: TestedOperator, ending: ReleaseTests.Ending
  ) {
    guard ending != .failed || tested.canFail else { return }
    var inputs = Optional(OperatorInputs())
    let subjects = inputs!.subjects.map(Weak.init)
    var token: SubscriptionToken?
    let (hook, receiver) = subscribe(tested, inputs!, &token)
    inputs!.sendOneByOne([1])
    #expect((receiver.object == nil) == (tested.length == 1))
    switch ending {
    case .cancelled: token?.cancel()
    case .released: token = nil
    case .finished: inputs!.finish()
    case .failed: inputs!.fail()
    }
    inputs!.settle()
    #expect(hook.object == nil)
    #expect(receiver.object == nil)
    #expect(inputs!.leftovers == 0)
    inputs = nil
    #expect(subjects.allSatisfy { $0.object == nil })
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TestedOperator.all.filter { !$0.closureHoldsPublishers }, [false, true])
  func `P6 a subscription that goes on keeps no subject alive`(
    tested: TestedOperator, hasGotValue: Bool
  ) {
    var inputs = Optional(OperatorInputs())
    let subjects = inputs!.subjects.map(Weak.init)
    let scheduler = inputs!.scheduler
    var token: SubscriptionToken?
    let (_, receiver) = subscribe(tested, inputs!, &token)
    if hasGotValue { inputs!.sendOneByOne([1]) }
    #expect((receiver.object == nil) == (hasGotValue && tested.length == 1))
    inputs = nil
    #expect(subjects.allSatisfy { $0.object == nil })
    withExtendedLifetime((token, scheduler)) {}
  }

  /// In its own function, so that neither the publisher nor the captures outlive it.
  private func subscribe(
    _ tested: TestedOperator, _ inputs: OperatorInputs, _ token: inout SubscriptionToken?
  ) -> (hook: Weak, receiver: Weak) {
    let (hook, receiver) = (Hook(), Receiver())
    token = tested.subscribe(receiver, to: inputs, hook: hook)
    return (Weak(hook), Weak(receiver))
  }

  private struct Weak {
    weak let object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }
}
