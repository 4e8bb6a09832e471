import Sleepless

extension Timeline {
  /// How many slots the event queue has: those of pending work, and tombstones.
  package var storedCount: Int { state.withLock { $0.eventQueue.storedCount } }

  /// How many pieces of work are stored, those that wait for a group too.
  package var keptCount: Int { state.withLock { $0.eventQueue.keptCount } }

  /// Whether free items hold zeros in place of work.
  package var isClean: Bool { state.withLock { $0.eventQueue.isClean } }

  /// How many threads wait until another one stops driving.
  package var waitingCount: Int { state.withLock { $0.driver.waitingCount } }
}

extension WorkToken {
  /// The source of the work; nil once the work has run or was cancelled.
  package var source: WorkSource? {
    timeline.state.withLock { state in
      state.eventQueue.isPending(self) ? item.pointee.source.takeUnretainedValue() : nil
    }
  }
}
