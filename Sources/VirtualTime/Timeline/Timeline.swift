import Dispatch
import Sleepless

/// Virtual time and everything that is to happen in it.
///
/// The thin shell round an `EventQueue`: it holds the lock while the agenda decides and lets go before
/// anybody's work runs (T9). One thread drives at a time; work that runs may drive further itself.
package final class Timeline: Sendable {
  package struct Options: Sendable {
    package enum Order: Sendable { case firstCome, shuffled(seed: UInt64) }
    package enum Jitter: Sendable { case none, seeded(UInt64) }

    package var order: Order
    package var jitter: Jitter
    /// How often work may come back before a pass gives up (T7).
    package var stepLimit: Int
    /// How long a second thread waits for its turn to drive, in real time.
    package var timeout: Duration

    package init(
      order: Order = .firstCome, jitter: Jitter = .none, stepLimit: Int = 100_000,
      timeout: Duration = HangTimeout.interval
    ) {
      self.order = order
      self.jitter = jitter
      self.stepLimit = stepLimit
      self.timeout = timeout
    }
  }

  /// How a drive ended.
  package enum End: Sendable {
    case reached
    /// Work came back more often than the step limit allows; from there it would be next.
    case exceeded(WorkSource)
    /// A drive within this one ended in one of the other ways, and said so.
    case interrupted
    /// Work that drives from within work that drives …: deeper than any stack should go.
    case tooDeep
    /// Another thread has been driving for as long as the guard allows, and runs work from there.
    case occupied(by: WorkSource?)
  }

  struct State {
    var eventQueue: EventQueue
    var driver = Driver()
    var groups: [(group: DispatchGroup, item: WorkItem.Pointer)] = []
    var origins = RecentWorkSources()
  }

  package let options: Options
  let state: Locked<State>
  private let hasMoved: (@Sendable (_ now: Instant) -> Void)?

  /// `hasMoved` is told of the time after each drive.
  package init(
    _ options: Options = Options(), hasMoved: (@Sendable (_ now: Instant) -> Void)? = nil
  ) {
    self.options = options
    self.hasMoved = hasMoved
    state = Locked(State(eventQueue: EventQueue(options)))
  }

  package var now: Instant { state.withLock { $0.eventQueue.now } }

  // MARK: Scheduling

  // See the functions of the same names in `TimelineQueue`. A closure cannot consume a parameter, hence
  // the variables.

  func schedule(
    _ work: consuming Work, after delay: Duration, every interval: Duration?,
    tolerance: Duration, isImmediate: Bool, on queue: TimelineQueue, label: String?, at place: Place
  ) -> WorkToken {
    var work = Optional(work)
    return state.withLock { state in
      let item = state.eventQueue.keep(
        work.take()!, timing: .make(every: interval, tolerance: tolerance),
        isImmediate: isImmediate,
        source: state.origins.find(queue: queue, label: label, place: place, interval: interval))
      state.eventQueue.add(item, at: state.eventQueue.now.advanced(by: delay))
      return token(for: item)
    }
  }

  func schedule(
    _ work: consuming Work, at instant: Instant, on queue: TimelineQueue, label: String?,
    at place: Place, unless isPast: (_ now: Instant) -> Bool
  ) -> WorkToken? {
    var work = Optional(work)
    return state.withLock { state in
      guard !isPast(state.eventQueue.now) else { return nil }
      let item = state.eventQueue.keep(
        work.take()!,
        source: state.origins.find(queue: queue, label: label, place: place, interval: nil))
      state.eventQueue.add(item, at: instant)
      return token(for: item)
    }
  }

  func schedule(
    _ work: consuming Work, whenEmpty group: DispatchGroup, on queue: TimelineQueue,
    label: String?, at place: Place
  ) {
    var work = Optional(work)
    state.withLock { state in
      let item = state.eventQueue.keep(
        work.take()!, isImmediate: true,
        source: state.origins.find(queue: queue, label: label, place: place, interval: nil))
      state.groups.append((group, item))
    }
  }

  private func token(for item: WorkItem.Pointer) -> WorkToken {
    WorkToken(timeline: self, item: item, generation: item.pointee.generation)
  }

  func cancel(_ token: WorkToken) {
    // What the work captured may run anybody's deinit, so it is released after unlocking. Without
    // the explicit end of its life the optimiser may release it as soon as it has been taken.
    let work = state.withLock { $0.eventQueue.cancel(token) }
    withExtendedLifetime(work) {}
  }

  /// What is still to come, in the order in which it will run. Work that waits for a group comes
  /// last, at `never`.
  package var pending: [WorkRecord] {
    state.withLock { state in
      (state.eventQueue.pending + state.groups.map { ($0.item, .never) })
        .map { WorkRecord($0.item, at: $0.instant) }
    }
  }

  /// The same with what cancels each, without work that waits for a group, which nothing cancels.
  package var pendingWork: [(token: WorkToken, record: WorkRecord)] {
    state.withLock { state in
      state.eventQueue.pending.map { (token(for: $0.item), WorkRecord($0.item, at: $0.instant)) }
    }
  }

  /// When something is due next; nil if nothing ever is.
  package var nextInstant: Instant? {
    let instant = state.withLock { $0.eventQueue.nextInstant }
    return instant == .never ? nil : instant
  }

  /// How many pieces of work are to come, those that wait for a group left out.
  package var count: Int { state.withLock { $0.eventQueue.count } }

  /// Forgets everything that is still to come and returns it. A timeline whose last owner goes must
  /// be closed: the origins of its work hold it.
  package func close() -> [WorkRecord] {
    let (left, works) = state.withLock { state in
      var (left, works) = state.eventQueue.removeAll()
      for (_, item) in state.groups {
        left.append(WorkRecord(item, at: .never))
        works.append(state.eventQueue.remove(item)!)
      }
      state.groups = []
      state.origins.forget()
      return (left, works)
    }
    // Released after unlocking, as in `cancel`.
    withExtendedLifetime(works) {}
    return left
  }

  // MARK: Driving

  /// Whether this thread is running work of this timeline, and if so, from where.
  package var running: WorkSource? {
    state.withLock { $0.driver.running(on: currentThreadID()) }
  }

  /// Moves time on by a stride and runs what becomes due. See `drive(to:)`.
  package func drive(by stride: Duration) -> (ran: WorkLog, end: End) {
    drive { Advance(target: $0.now.advanced(by: stride), limit: self.options.stepLimit) }
  }

  /// Moves time on to an instant, one piece of work at a time, each at the instant it is due (T3);
  /// without a target, until nothing is left. An instant in the past runs nothing.
  package func drive(to target: Instant?) -> (ran: WorkLog, end: End) {
    drive { _ in Advance(target: target, limit: self.options.stepLimit) }
  }

  /// Moves time on to the next instant at which something is due, and runs all that is due then.
  package func driveToNext() -> (ran: WorkLog, end: End) {
    drive { eventQueue in
      let next = eventQueue.nextInstant ?? eventQueue.now
      return Advance(target: next == .never ? eventQueue.now : next, limit: self.options.stepLimit)
    }
  }

  /// Runs what is due now and was enqueued before this call.
  package func driveWhatIsDue() -> (ran: WorkLog, end: End) {
    drive { eventQueue in
      Advance(
        target: eventQueue.now, limit: self.options.stepLimit,
        enqueuedBefore: eventQueue.sequence + 1)
    }
  }

  private func drive(
    _ makePass: (inout EventQueue) -> Advance
  ) -> (ran: WorkLog, end: End) {
    switch enter() {
    case .entered: break
    case .tooDeep: return (WorkLog(), .tooDeep)
    case .occupied(let source): return (WorkLog(), .occupied(by: source))
    }
    var advance = state.withLock { state in
      state.admitEmptyGroups()
      return makePass(&state.eventQueue)
    }
    while true {
      let step = state.withLock { $0.next(in: &advance) }
      switch consume step {
      case .run(let work): work()
      case .reached:
        leave()
        return (advance.ran, .reached)
      case .exceeded(let source):
        leave(badly: true)
        return (advance.ran, .exceeded(source))
      case nil:
        leave(badly: true)
        return (advance.ran, .interrupted)
      }
    }
  }

  private enum EntryResult { case entered, tooDeep, occupied(by: WorkSource?) }

  private func enter() -> EntryResult {
    let thread = currentThreadID()
    while true {
      let decision = state.withLock { $0.driver.enter(thread) }
      switch decision {
      case .entered: return .entered
      case .tooDeep: return .tooDeep
      case .wait(let turn):
        let deadline = DispatchTime.now() + options.timeout.timeInterval
        // real time: the last guard against a driver that waits for this very thread
        guard turn.wait(timeout: deadline) == .success else {
          let farewell = state.withLock { $0.driver.giveUp(turn) }
          if case .occupied(let source) = farewell { return .occupied(by: source) }
          continue
        }
      }
    }
  }

  private func leave(badly: Bool = false) {
    let (next, now) = state.withLock { ($0.driver.leave(badly: badly), $0.eventQueue.now) }
    next?.signal()
    hasMoved?(now)
  }
}

extension Timeline.State {
  /// Takes the next step of a drive; nil if a drive within it ended badly.
  fileprivate mutating func next(in advance: inout Advance) -> EventQueue.Step? {
    guard !driver.isStopping else { return nil }
    admitEmptyGroups()
    let step = eventQueue.next(in: &advance)
    driver.runs(advance.running)
    return step
  }

  fileprivate mutating func admitEmptyGroups() {
    guard !groups.isEmpty else { return }
    groups.removeAll { group, item in
      // real time: none, this only looks
      guard group.wait(timeout: .now()) == .success else { return false }
      eventQueue.add(item, at: eventQueue.now)
      return true
    }
  }
}
