/// The behaviour of the timeline in its plainest form: a sorted array of the pending work. Time is in whole
/// nanoseconds.
struct ModelTimeline {
  struct Entry: Equatable {
    let id: Int
    var instant: Int
    let interval: Int?
  }

  private(set) var now = 0
  private(set) var pending: [Entry] = []

  mutating func schedule(_ id: Int, after delay: Int, every interval: Int?) {
    insert(Entry(id: id, instant: now + max(0, delay), interval: interval))
  }

  mutating func cancel(_ id: Int) { pending.removeAll { $0.id == id } }

  /// Takes the work that is due next, up to the target. If there is none, moves time to the target and
  /// returns nil.
  mutating func next(upTo target: Int) -> Int? {
    guard let first = pending.first, first.instant <= target else {
      now = max(now, target)
      return nil
    }
    pending.removeFirst()
    now = first.instant
    if let interval = first.interval {
      insert(Entry(id: first.id, instant: now + interval, interval: interval))
    }
    return first.id
  }

  private mutating func insert(_ entry: Entry) {
    // After the work that is due at the same instant, which was enqueued before.
    var index = pending.count
    while index > 0, pending[index - 1].instant > entry.instant { index -= 1 }
    pending.insert(entry, at: index)
  }
}
