import Dispatch
import Sleepless

/// Virtual time, and the work that is due in it.
///
/// It is a thin shell around an `EventQueue`, and holds the lock only while the queue decides, not while work
/// runs (T9). One thread drives at a time. Work that runs may drive the timeline itself.
package final class Timeline: Sendable {
  package struct Options: Sendable {
    package enum Order: Sendable { case firstCome, shuffled(seed: UInt64) }
    package enum Jitter: Sendable { case none, seeded(UInt64) }

    package var order: Order
    package var jitter: Jitter
    /// How many new pieces of work an advance runs at one instant before it gives up (T7).
    package var stepLimit: Int
    /// How long a second thread waits for its turn to drive: in virtual time where a simulation blocks the
    /// thread, else in real time.
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
    /// The target was past when the drive began, at this instant. Nothing was run.
    case isPast(now: Instant)
    /// The step limit is used up; work of this source would be next.
    case exceeded(WorkSource)
    /// A nested drive ended in one of the other ways, and reported that.
    case interrupted
    /// Drives were nested more deeply than `Driver.deepest`.
    case tooDeep
    /// Another thread has driven for as long as the timeout, and runs work of this source.
    case occupied(by: WorkSource?)
  }

  struct State {
    var eventQueue: EventQueue
    var driver = Driver()
    var groups: [(group: DispatchGroup, item: WorkItem.Pointer)] = []
    var sources = RecentWorkSources()
  }

  package let options: Options
  let state: Locked<State>
  private let hasMoved: (@Sendable (_ now: Instant) -> Void)?

  /// `hasMoved` is called with the time after each drive.
  package init(
    _ options: Options = Options(), hasMoved: (@Sendable (_ now: Instant) -> Void)? = nil
  ) {
    self.options = options
    self.hasMoved = hasMoved
    state = Locked(State(eventQueue: EventQueue(options)))
  }

  package var now: Instant { state.withLock { $0.eventQueue.now } }

  // MARK: Scheduling

  // See the functions of the same names in `TimelineQueue`. The variables are needed because a closure
  // cannot consume a parameter.

  func schedule(
    _ work: consuming Work, after delay: Duration, every interval: Duration?,
    tolerance: Duration, isImmediate: Bool, on queue: TimelineQueue, label: String?, at place: Place
  ) -> WorkToken {
    var work = Optional(work)
    return state.withLock { state in
      let item = state.eventQueue.keep(
        work.take()!, timing: .make(every: interval, tolerance: tolerance),
        isImmediate: isImmediate,
        source: state.sources.find(queue: queue, label: label, place: place, interval: interval))
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
        source: state.sources.find(queue: queue, label: label, place: place, interval: nil))
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
        source: state.sources.find(queue: queue, label: label, place: place, interval: nil))
      state.groups.append((group, item))
    }
  }

  private func token(for item: WorkItem.Pointer) -> WorkToken {
    WorkToken(timeline: self, item: item, generation: item.pointee.generation)
  }

  func cancel(_ token: WorkToken) {
    // Releasing the work may run any `deinit`, so it happens after unlocking. Without the explicit lifetime
    // the optimiser may release the work as soon as it has been taken.
    let work = state.withLock { $0.eventQueue.cancel(token) }
    withExtendedLifetime(work) {}
  }

  /// The pending work, in the order in which it will run. Work that waits for a group comes last, at
  /// `never`.
  package var pending: [WorkRecord] {
    state.withLock { state in
      (state.eventQueue.pending + state.groups.map { ($0.item, .never) })
        .map { WorkRecord($0.item, at: $0.instant) }
    }
  }

  /// The pending work with its tokens. Work that waits for a group has none and is left out.
  package var pendingWork: [(token: WorkToken, record: WorkRecord)] {
    state.withLock { state in
      state.eventQueue.pending.map { (token(for: $0.item), WorkRecord($0.item, at: $0.instant)) }
    }
  }

  /// When something is due next; nil if nothing is.
  package var nextInstant: Instant? {
    let instant = state.withLock { $0.eventQueue.nextInstant }
    return instant == .never ? nil : instant
  }

  /// How many pieces of work are pending, those that wait for a group left out.
  package var count: Int { state.withLock { $0.eventQueue.count } }

  /// Removes the pending work and returns it. The last owner of a timeline must close it, because the
  /// sources of its work retain it.
  package func close() -> [WorkRecord] {
    let (left, works) = state.withLock { state in
      var (left, works) = state.eventQueue.removeAll()
      for (_, item) in state.groups {
        left.append(WorkRecord(item, at: .never))
        works.append(state.eventQueue.remove(item)!)
      }
      state.groups = []
      state.sources.forget()
      return (left, works)
    }
    // Released after unlocking, as in `cancel`.
    withExtendedLifetime(works) {}
    return left
  }

  // MARK: Driving

  /// The source of the work of this timeline that this thread runs; nil if it runs none.
  package var running: WorkSource? {
    state.withLock { $0.driver.running(on: currentThreadID()) }
  }

  /// Moves time on by a duration and runs what becomes due. See `drive(to:)`.
  package func drive(by duration: Duration) -> (ran: WorkLog, end: End) {
    drive { Advance(target: $0.now.advanced(by: duration), limit: self.options.stepLimit) }
  }

  /// Moves time on to an instant, one piece of work at a time, each at the instant it is due (T3);
  /// without a target, until nothing is left. An instant that is past when this thread's turn comes runs nothing.
  package func drive(to target: Instant?) -> (ran: WorkLog, end: End) {
    drive { _ in Advance(target: target, limit: self.options.stepLimit) }
  }

  /// Moves time on to the next instant at which something is due, and runs all that is due then.
  package func driveToNext() -> (ran: WorkLog, end: End) {
    drive { Advance(target: $0.nextTarget, limit: self.options.stepLimit) }
  }

  /// Runs the work that is due now and was enqueued before this call.
  package func driveWhatIsDue() -> (ran: WorkLog, end: End) {
    drive { eventQueue in
      Advance(
        target: eventQueue.now, limit: self.options.stepLimit,
        enqueuedBefore: eventQueue.sequence + 1)
    }
  }

  /// Begins an advance in steps to an instant; without a target, until nothing is left.
  package func steps(to target: Instant?) -> SteppedAdvance {
    SteppedAdvance(target: target, limit: options.stepLimit)
  }

  /// Begins an advance to the next instant at which something is due, with a stop there.
  package func stepsToNext() -> SteppedAdvance {
    let target = state.withLock { state in
      state.admitEmptyGroups()
      return state.eventQueue.nextTarget
    }
    return steps(to: target)
  }

  /// Takes one step of an advance: moves time to the next instant at which something is due, and runs all that is
  /// due by then. Returns nil if there may be another step.
  package func drive(_ steps: inout SteppedAdvance) -> End? {
    if let obstacle = enter() { return obstacle }
    let target = steps.target
    let (isLast, past) = state.withLock { state -> (Bool, End?) in
      if !steps.hasBegun, let past = state.eventQueue.end(ifPast: target) { return (true, past) }
      state.admitEmptyGroups()
      guard let next = state.eventQueue.nextInstant, next <= target ?? .last else {
        return (true, nil)
      }
      steps.advance.stop(at: next)
      return (false, nil)
    }
    if let past {
      leave()
      return past
    }
    steps.hasBegun = true
    if isLast, let target { steps.advance.stop(at: target) }
    let end = run(&steps.advance)
    if case .reached = end, !isLast { return nil }
    return end
  }

  private func drive(
    _ makeAdvance: (inout EventQueue) -> Advance
  ) -> (ran: WorkLog, end: End) {
    if let obstacle = enter() { return (WorkLog(), obstacle) }
    var (advance, past) = state.withLock { state in
      state.admitEmptyGroups()
      let advance = makeAdvance(&state.eventQueue)
      return (advance, state.eventQueue.end(ifPast: advance.target))
    }
    if let past {
      leave()
      return (WorkLog(), past)
    }
    let end = run(&advance)
    return (advance.ran, end)
  }

  /// Runs the work of an advance on this thread, which has entered.
  private func run(_ advance: inout Advance) -> End {
    while true {
      let step = state.withLock { $0.next(in: &advance) }
      switch consume step {
      case .run(let work): work()
      case .reached:
        leave()
        return .reached
      case .exceeded(let source):
        leave(reachedLimit: true)
        return .exceeded(source)
      case nil:
        leave(reachedLimit: true)
        return .interrupted
      }
    }
  }

  /// Makes this thread the driver; returns the reason if it cannot be.
  private func enter() -> End? {
    let thread = currentThreadID()
    while true {
      let decision = state.withLock { $0.driver.enter(thread) }
      switch decision {
      case .entered: return nil
      case .tooDeep: return .tooDeep
      case .wait(let turn):
        let deadline = DispatchTime.now() + options.timeout.timeInterval
        // Where a simulation blocks the thread, this takes virtual time. Elsewhere it takes
        // real time: the driver may wait for this thread, so that its turn never comes.
        guard turn.wait(timeout: deadline) == .success else {
          let result = state.withLock { $0.driver.giveUp(turn) }
          if case .occupied(let source) = result { return .occupied(by: source) }
          continue
        }
      }
    }
  }

  private func leave(reachedLimit: Bool = false) {
    let (next, now) = state.withLock {
      ($0.driver.leave(reachedLimit: reachedLimit), $0.eventQueue.now)
    }
    next?.signal()
    hasMoved?(now)
  }
}

extension EventQueue {
  /// How a drive ends if its target is past. Time may have moved while its thread waited for its turn.
  fileprivate func end(ifPast target: Instant?) -> Timeline.End? {
    guard let target, target < now else { return nil }
    return .isPast(now: now)
  }
}

extension Timeline.State {
  /// Takes the next step of a drive; nil if a nested drive reached its limit.
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
      // A simulation must not block the thread here, because it holds the lock. Nor may its clock be read, as `.now()`
      // would: that asks this timeline.
      // real time: none, and no virtual time either, as the timeout is over at once
      guard group.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success else {
        return false
      }
      eventQueue.add(item, at: eventQueue.now)
      return true
    }
  }
}
