import Sleepless

extension Timeline {
  /// How many places the agenda takes up: what is to come, and the shells of what was cancelled.
  package var storedCount: Int { state.withLock { $0.agenda.storedCount } }

  /// How many pieces of work are kept, those that wait for a group too.
  package var keptCount: Int { state.withLock { $0.agenda.keptCount } }

  /// Whether places without work hold nothing that could be taken for some.
  package var isClean: Bool { state.withLock { $0.agenda.isClean } }

  /// How many threads wait for another one to stop driving.
  package var waitingCount: Int { state.withLock { $0.driver.waitingCount } }
}

extension WorkToken {
  /// Where the work came from; nil once it is over.
  package var origin: Origin? {
    timeline.state.withLock { state in
      state.agenda.isPending(self) ? item.pointee.origin.takeUnretainedValue() : nil
    }
  }
}
