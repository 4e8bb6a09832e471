import Sleepless
import TestSupport

// The tables. What an operator does to its values is the matter of other tests. Here most send what they get, because
// the rules are about order, ends and lifetimes.
//
// Not here, because they are no operators: `sink`, `assign` and `values` have no publisher as a result; subjects,
// `just`, `Future`, timers and notifications have no upstream. `OperatorListTests` compares this list with the sources.

extension TestedOperator {
  static let all = withClosure + withoutClosure + combining + flattening + timed

  static let fallible = all.filter(\.canFail)

  /// Operators that call a closure for a value or for the failure.
  static let withClosure: [TestedOperator] = [
    TestedOperator("map(_:)") { inputs, hook in inputs.upstream.map { hook($0) } },
    TestedOperator("compactMap(_:)", sends: { $0.filter { $0 % 2 == 1 } }) { inputs, hook in
      inputs.upstream.compactMap { hook($0) % 2 == 1 ? $0 : nil }
    },
    TestedOperator("filter(_:)", sends: { $0.filter { $0 % 2 == 1 } }) { inputs, hook in
      inputs.upstream.filter { hook($0) % 2 == 1 }
    },
    TestedOperator("removeDuplicates(by:)") { inputs, hook in
      inputs.upstream.removeDuplicates { hook($0) == $1 }
    },
    TestedOperator("combineLatest(_:_:), with a closure") { inputs, hook in
      inputs.upstream.combineLatest(inputs.state) { number, _ in hook(number) }
    },
    TestedOperator("combineLatest(_:_:_:), with a closure") { inputs, hook in
      inputs.upstream.combineLatest(inputs.state, inputs.third) { number, _, _ in hook(number) }
    },
    TestedOperator("catch(_:)") { inputs, hook in
      inputs.upstream.catch { hook(ErasedPublisher<Int, Oops>.fail($0)) }
    },
    TestedOperator("mapError(_:)") { inputs, hook in inputs.upstream.mapError { hook($0) } },
    TestedOperator("flatMap(_:)") { inputs, hook in
      inputs.upstream.flatMap { ErasedPublisher<Int, Oops>.just(hook($0)) }
    },
    TestedOperator("flatMap(_:), to a publisher that cannot fail") { inputs, hook in
      inputs.upstream.flatMap { ErasedPublisher<Int, Never>.just(hook($0)) }
    },
    TestedOperator("flatMap(_:), of a publisher that cannot fail") { inputs, hook in
      inputs.infallible.flatMap { ErasedPublisher<Int, Oops>.just(hook($0)) }
    }.with { $0.canFail = false },
    TestedOperator("handleEvents(...)") { inputs, hook in
      inputs.upstream.handleEvents(receiveOutput: { _ = hook($0) })
    },
  ]

  static let withoutClosure: [TestedOperator] = [
    TestedOperator("eraseToAnyPublisher()") { inputs, _ in inputs.upstream.eraseToAnyPublisher() },
    TestedOperator("setFailureType(to:)") { inputs, _ in
      inputs.infallible.setFailureType(to: Oops.self)
    }.with { $0.canFail = false },
    TestedOperator("replaceError(with:)") { inputs, _ in
      inputs.upstream.replaceError(with: 0)
    }.with { $0.canFail = false },
    TestedOperator("removeDuplicates()") { inputs, _ in inputs.upstream.removeDuplicates() },
    TestedOperator("prefix(_:)", sends: { Array($0.prefix(2)) }) { inputs, _ in
      inputs.upstream.prefix(2)
    }.with { $0.length = 2 },
    TestedOperator("first()", sends: { Array($0.prefix(1)) }) { inputs, _ in
      inputs.upstream.first()
    }.with { $0.length = 1 },
    TestedOperator("dropFirst(_:)", sends: { Array($0.dropFirst()) }) { inputs, _ in
      inputs.upstream.dropFirst()
    },
    TestedOperator("collect()", sends: { $1 ? [$0] : [] }, list: { $0 }) { inputs, _ in
      inputs.upstream.collect()
    },
    TestedOperator(
      "collect(_:)",
      sends: { values, isFinished in
        let whole = isFinished ? values.count : values.count / 2 * 2
        return stride(from: 0, to: whole, by: 2).map { Array(values[$0..<min($0 + 2, whole)]) }
      }, list: { $0 }
    ) { inputs, _ in inputs.upstream.collect(2) },
    TestedOperator("share()") { inputs, _ in inputs.upstream.share() }.with { $0.isShared = true },
  ]

  /// Operators that subscribe to several publishers. The other ones have sent nothing, or zero.
  static let combining: [TestedOperator] =
    [
      TestedOperator("merge(with:), first") { inputs, _ in
        inputs.upstream.merge(with: inputs.other)
      }.with { $0.sendToOther = { $0.other.send($1) } },
      TestedOperator("merge(with:), second") { inputs, _ in
        inputs.other.merge(with: inputs.upstream)
      }.with { $0.sendToOther = { $0.other.send($1) } },
      combination("combineLatest(_:), first", { [$0, 0] }, list: { [$0, $1] }) {
        $0.upstream.combineLatest($0.state)
      },
      combination("combineLatest(_:), second", { [0, $0] }, list: { [$0, $1] }) {
        $0.state.combineLatest($0.upstream)
      },
      combination("combineLatest(_:_:), first", { [$0, 0, 0] }, list: { [$0, $1, $2] }) {
        $0.upstream.combineLatest($0.state, $0.third)
      },
      combination("combineLatest(_:_:), third", { [0, 0, $0] }, list: { [$0, $1, $2] }) {
        $0.state.combineLatest($0.third, $0.upstream)
      },
      TestedOperator("catch(_:), the replacement") { inputs, _ in
        ErasedPublisher<Int, Oops>.fail(.never).catch { [upstream = inputs.upstream] _ in upstream }
      }.with { $0.closureHoldsPublishers = true },
    ] + combineNames

  /// Combine's names of these publishers, where there is no Combine.
  private static var combineNames: [TestedOperator] {
    #if canImport(Combine)
      []
    #else
      [
        TestedOperator("Publishers.Merge") { inputs, _ in
          Publishers.Merge(inputs.upstream, inputs.other)
        }.with { $0.sendToOther = { $0.other.send($1) } },
        combination("Publishers.CombineLatest", { [$0, 0] }, list: { [$0, $1] }) {
          Publishers.CombineLatest($0.upstream, $0.state)
        },
        combination("Publishers.CombineLatest3", { [$0, 0, 0] }, list: { [$0, $1, $2] }) {
          Publishers.CombineLatest3($0.upstream, $0.state, $0.third)
        },
      ]
    #endif
  }

  private static func combination<P: PublisherType>(
    _ name: String, _ output: @escaping @Sendable (Int) -> [Int],
    list: @escaping @Sendable (P.Output) -> [Int],
    _ make: @escaping @Sendable (OperatorInputs) -> P
  ) -> TestedOperator {
    TestedOperator(name, sends: { values, _ in values.map(output) }, list: list) { inputs, _ in
      make(inputs)
    }.with {
      $0.isCombination = true
      $0.sendToOther = { $0.state.send($1) }
    }
  }

  /// Operators of publishers of publishers. For `flatMap` whose upstream is the outer publisher see `withClosure`.
  static let flattening: [TestedOperator] = [
    TestedOperator("flatMap(_:), the inner publishers") { inputs, _ in
      ErasedPublisher<Bool, Oops>.just(true).merge(with: .just(false)).flatMap {
        [upstream = inputs.upstream, other = inputs.other] isFirst in
        isFirst ? upstream : other.eraseToAnyPublisher()
      }
    }.with {
      $0.sendToOther = { $0.other.send($1) }
      $0.closureHoldsPublishers = true
    },
    TestedOperator("switchToLatest()") { inputs, _ in
      inputs.upstream.map { ErasedPublisher<Int, Oops>.just($0) }.switchToLatest()
    },
    TestedOperator("switchToLatest(), of a publisher that cannot fail") { inputs, _ in
      inputs.infallible.map { ErasedPublisher<Int, Oops>.just($0) }.switchToLatest()
    }.with { $0.canFail = false },
    TestedOperator("switchToLatest(), the latest publisher") { inputs, _ in
      ErasedPublisher<ErasedPublisher<Int, Oops>, Oops>.just(inputs.upstream).switchToLatest()
    },
  ]

  /// Operators with a queue or a scheduler, in virtual time and on a scheduler that does not wait.
  static let timed: [TestedOperator] =
    [
      timeout,
      TestedOperator("throttle(for:scheduler:latest:), the first") { inputs, _ in
        inputs.upstream.throttle(for: inputs.interval, scheduler: inputs.scheduler, latest: false)
      }.with { $0.dropsValues = true },
    ] + timed("") { $0.scheduler } + timed(", immediate") { _ in ImmediateScheduler() }

  /// The interval is longer than all advances. An immediate scheduler would end the publisher at once.
  private static let timeout = TestedOperator("timeout(_:scheduler:)") { inputs, _ in
    inputs.upstream.timeout(.seconds(3_600), scheduler: inputs.scheduler)
  }

  private static func timed(
    _ suffix: String, on scheduler: @escaping @Sendable (OperatorInputs) -> any SchedulerType
  ) -> [TestedOperator] {
    [
      TestedOperator("receive(on:)\(suffix)") { inputs, _ in
        inputs.upstream.receive(on: scheduler(inputs))
      },
      TestedOperator("subscribe(on:)\(suffix)") { inputs, _ in
        inputs.upstream.subscribe(on: scheduler(inputs))
      },
      TestedOperator("delay(for:scheduler:)\(suffix)") { inputs, _ in
        inputs.upstream.delay(for: inputs.interval, scheduler: scheduler(inputs))
      },
      TestedOperator("debounce(for:scheduler:)\(suffix)") { inputs, _ in
        inputs.upstream.debounce(for: inputs.interval, scheduler: scheduler(inputs))
      }.with { $0.dropsValues = suffix.isEmpty },
      TestedOperator("throttle(for:scheduler:latest:)\(suffix)") { inputs, _ in
        inputs.upstream.throttle(
          for: inputs.interval, scheduler: scheduler(inputs), latest: true)
      }.with { $0.dropsValues = suffix.isEmpty },
    ]
  }
}
