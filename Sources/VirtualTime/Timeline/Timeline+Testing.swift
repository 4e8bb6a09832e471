import Sleepless

extension Timeline {
  /// How many places the agenda takes up: what is to come, and the shells of what was cancelled.
  package var storedCount: Int { state.withLock { $0.eventQueue.storedCount } }

  /// How many pieces of work are kept, those that wait for a group too.
  package var keptCount: Int { state.withLock { $0.eventQueue.keptCount } }

  /// Whether places without work hold nothing that could be taken for some.
  package var isClean: Bool { state.withLock { $0.eventQueue.isClean } }

  /// How many threads wait for another one to stop driving.
  package var waitingCount: Int { state.withLock { $0.driver.waitingCount } }
}

extension WorkToken {
  /// Where the work came from; nil once it is over.
  package var source: WorkSource? {
    timeline.state.withLock { state in
      state.eventQueue.isPending(self) ? item.pointee.source.takeUnretainedValue() : nil
    }
  }
}
