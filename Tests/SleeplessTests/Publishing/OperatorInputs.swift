import Dispatch
import Sleepless
import Testing
import TestSupport
import VirtualTime

/// The publishers and the scheduler that a tested operator is applied to. The test sends what they send.
///
/// The operator uses some of the publishers; the others have no subscriber.
final class OperatorInputs: Sendable {
  private let events = EventSubject<Int, Oops>()
  private let infallibleEvents = EventSubject<Int, Never>()
  private let upstreamState: StateSubject<Int, Oops>
  private let infallibleUpstreamState: StateSubject<Int, Never>
  private let isState: Bool

  /// Inputs of operators of several publishers.
  let other = EventSubject<Int, Oops>()
  let state = StateSubject<Int, Oops>(0)
  let third = StateSubject<Int, Oops>(0)

  /// What operators with time use.
  let scheduler: any SchedulerType
  let interval: Duration
  private let time: VirtualScheduler

  /// With a value the upstream is a state with this value. The time is virtual unless there is a queue.
  init(startingWith value: Int? = nil, on queue: DispatchQueue? = nil) {
    isState = value != nil
    upstreamState = StateSubject(value ?? 0)
    infallibleUpstreamState = StateSubject(value ?? 0)
    time = VirtualScheduler()
    scheduler = queue ?? time
    interval = queue == nil ? .milliseconds(10) : .zero
  }

  /// The publisher that the operator is applied to.
  var upstream: ErasedPublisher<Int, Oops> {
    isState ? upstreamState.eraseToAnyPublisher() : events.eraseToAnyPublisher()
  }

  /// The upstream for an operator of publishers that cannot fail.
  var infallible: ErasedPublisher<Int, Never> {
    isState ? infallibleUpstreamState.eraseToAnyPublisher() : infallibleEvents.eraseToAnyPublisher()
  }

  // MARK: Sending

  /// Sends a value from the upstream.
  func send(_ value: Int) {
    events.send(value)
    infallibleEvents.send(value)
    upstreamState.send(value)
    infallibleUpstreamState.send(value)
  }

  /// Sends values from the upstream, each when the operator has delivered the one before.
  func sendOneByOne(_ values: some Sequence<Int>) {
    for value in values {
      send(value)
      settle()
    }
  }

  /// Finishes all publishers.
  func finish() {
    events.send(completion: .finished)
    infallibleEvents.send(completion: .finished)
    upstreamState.send(completion: .finished)
    infallibleUpstreamState.send(completion: .finished)
    other.send(completion: .finished)
    state.send(completion: .finished)
    third.send(completion: .finished)
  }

  /// Ends the upstream with a failure.
  func fail() {
    events.send(completion: .failure(.no))
    upstreamState.send(completion: .failure(.no))
  }

  /// Advances virtual time until each operator must have delivered what it got.
  func settle() { time.advance(by: .milliseconds(100)) }

  // MARK: Watching

  /// How many subscriptions to the publishers there are, and how much work the operator has scheduled.
  var leftovers: Int {
    events.subscriberCount + infallibleEvents.subscriberCount + upstreamState.subscriberCount
      + infallibleUpstreamState.subscriberCount + other.subscriberCount + state.subscriberCount
      + third.subscriberCount + time.pendingCount
  }

  /// All publishers.
  var subjects: [AnyObject] {
    [events, infallibleEvents, upstreamState, infallibleUpstreamState, other, state, third]
  }
}

/// A scheduler in virtual time, for these tests, which cannot import the `TestScheduler`.
final class VirtualScheduler: VirtualQueue, SchedulerType {
  private let queue = TimelineQueue("virtual", on: Timeline())

  deinit { _ = queue.timeline.close() }

  var now: Duration { queue.timeline.now.duration }

  var pendingCount: Int { queue.timeline.count }

  /// Runs the work that is due by then, at its own instants.
  func advance(by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
    let (_, end) = queue.timeline.drive(by: duration)
    if case .reached = end { return }
    Issue.record("The advance did not reach its target: \(end)", sourceLocation: sourceLocation)
  }

  func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    async(at: CallSite(), execute: work)
  }

  func async(
    at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    _ = queue.schedule(.block(work), after: .zero, isImmediate: true, at: site)
  }

  func enqueue(
    _ label: String, at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    queue.schedule(.function(work), after: .zero, isImmediate: true, label: label, at: site)
  }

  func async(
    whenEmpty group: DispatchGroup, at site: CallSite,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    queue.schedule(.block(work), whenEmpty: group, label: nil, at: site)
  }

  func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    queue.schedule(.function(work), after: delay, tolerance: tolerance, label: label, at: site)
  }

  func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    queue.schedule(
      .function(work), after: delay, every: interval, tolerance: tolerance, label: label, at: site)
  }

  func sync<Result>(execute work: () throws -> Result) rethrows -> Result { try work() }
}
