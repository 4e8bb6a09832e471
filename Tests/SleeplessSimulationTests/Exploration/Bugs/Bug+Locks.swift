/// Locks whose waiters suspend.
extension Bug {
  static let locks = [
    Bug("opposite locks", "Two transfers lock the same two accounts in opposite orders.") {
      let (first, second) = (AsyncLock(), AsyncLock())
      try await both {
        await transfer(first, second)
      } _: {
        let rate = Box(1)
        if await rate.value == 1 { await rate.set(2) }
        await transfer(second, first)
      }
    } fixed: {
      let (first, second) = (AsyncLock(), AsyncLock())
      try await both {
        await transfer(first, second)
      } _: {
        let rate = Box(1)
        if await rate.value == 1 { await rate.set(2) }
        await transfer(first, second)
      }
    },
    Bug("philosophers", "Each of three takes the left fork and waits for the right one.") {
      try await dine { ($0, $0 + 1) }
    } fixed: {
      try await dine { (min($0, ($0 + 1) % 3), max($0, ($0 + 1) % 3)) }
    },
    Bug("group lock", "The last task of a group has to take one lock to release another.") {
      try await enterInGroups { await $0.leave($1) }
    } fixed: {
      try await enterInGroups { await $0.leaveAtOnce($1) }
    },
    Bug("read again", "A reader reads again while a writer waits for the reader.") {
      try await readTwice(SharedLock(prefersWriters: true))
    } fixed: {
      try await readTwice(SharedLock(prefersWriters: false))
    },
    Bug("kept lock", "An early return that only some orders take keeps the lock.") {
      try await removeTwice { await $0.remove() }
    } fixed: {
      try await removeTwice { await $0.removeAndUnlock() }
    },
    Bug("two locks", "One task counts under one lock, the others under another lock.") {
      let (one, other) = (AsyncLock(), AsyncLock())
      try await count(one, [other, other, other])
    } fixed: {
      let one = AsyncLock()
      try await count(one, [one, one, one])
    },
  ]

  private static func transfer(_ from: AsyncLock, _ to: AsyncLock) async {
    await from.lock()
    await to.lock()
    await to.unlock()
    await from.unlock()
  }

  private static func dine(_ order: @escaping @Sendable (Int) -> (Int, Int)) async throws {
    let forks = [AsyncLock(), AsyncLock(), AsyncLock()]
    let thoughts = Box(0)
    try await together(
      (0..<3).map { seat in
        {
          // A philosopher further down the table thinks longer.
          for _ in 0..<seat * 3 { await think(thoughts) }
          let (first, second) = order(seat)
          await forks[first % 3].lock()
          await forks[second % 3].lock()
          await forks[second % 3].unlock()
          await forks[first % 3].unlock()
        }
      })
  }

  private static func think(_ thoughts: Box<Int>) async { await thoughts.change { $0 += 1 } }

  /// Only one of two groups may be inside at a time.
  private actor Lounge {
    private let door = AsyncLock()
    private let room = AsyncLock()
    private var counts = [0, 0]

    func enter(_ group: Int) async {
      await door.lock()
      counts[group] += 1
      if counts[group] == 1 { await room.lock() }
      await door.unlock()
    }

    func leave(_ group: Int) async {
      await door.lock()
      counts[group] -= 1
      if counts[group] == 0 { await room.unlock() }
      await door.unlock()
    }

    func leaveAtOnce(_ group: Int) async {
      counts[group] -= 1
      if counts[group] == 0 { await room.unlock() }
    }
  }

  private static func enterInGroups(
    _ leave: @escaping @Sendable (Lounge, Int) async -> Void
  ) async throws {
    let lounge = Lounge()
    let weather = Box("rain")
    try await both {
      await lounge.enter(0)
      await leave(lounge, 0)
    } _: {
      for _ in 0..<4 { await weather.change { $0 += "." } }
      if await weather.value != "sun" { await lounge.enter(1) }
      await leave(lounge, 1)
    }
  }

  private actor SharedLock {
    private let prefersWriters: Bool
    private var readers = 0
    private var isWriting = false
    private var waitingWriters: [CheckedContinuation<Void, Never>] = []
    private var waitingReaders: [CheckedContinuation<Void, Never>] = []

    init(prefersWriters: Bool) { self.prefersWriters = prefersWriters }

    func beginReading() async {
      if isWriting || (prefersWriters && !waitingWriters.isEmpty) {
        await withCheckedContinuation { waitingReaders.append($0) }
      } else {
        readers += 1
      }
    }

    func endReading() {
      readers -= 1
      guard readers == 0, !waitingWriters.isEmpty else { return }
      isWriting = true
      waitingWriters.removeFirst().resume()
    }

    func beginWriting() async {
      if isWriting || readers > 0 {
        await withCheckedContinuation { waitingWriters.append($0) }
      } else {
        isWriting = true
      }
    }

    func endWriting() {
      isWriting = false
      readers += waitingReaders.count
      for reader in waitingReaders { reader.resume() }
      waitingReaders = []
    }
  }

  private static func readTwice(_ lock: SharedLock) async throws {
    let index = Box(["a": 1])
    try await both {
      await lock.beginReading()
      let keys = await index.value.keys
      await lock.beginReading()
      for key in keys { _ = await index.value[key] }
      await lock.endReading()
      await lock.endReading()
    } _: {
      for name in ["b", "c", "d"] { await index.change { $0[name] = 0 } }
      await lock.beginWriting()
      await index.change { $0 = [:] }
      await lock.endWriting()
    }
  }

  private actor Shelf {
    private let lock = AsyncLock()
    private let books = Box(1)

    func remove() async {
      await lock.lock()
      guard await books.value > 0 else { return }
      await books.change { $0 -= 1 }
      await lock.unlock()
    }

    func removeAndUnlock() async {
      await lock.lock()
      if await books.value > 0 { await books.change { $0 -= 1 } }
      await lock.unlock()
    }

    func add() async {
      await books.change { $0 += 1 }
    }

    func close() async {
      await lock.lock()
      await lock.unlock()
    }
  }

  private static func removeTwice(
    _ remove: @escaping @Sendable (Shelf) async -> Void
  ) async throws {
    let shelf = Shelf()
    try await together([
      { await shelf.add() },
      { await remove(shelf) },
      { await remove(shelf) },
    ])
    await shelf.close()
  }

  private static func count(_ lock: AsyncLock, _ others: [AsyncLock]) async throws {
    let (number, journal) = (Box(0), Box(0))
    let first: @Sendable () async throws -> Void = {
      await lock.lock()
      let before = await number.value
      await think(journal)
      await number.set(before + 1)
      await think(journal)
      let after = await number.value
      await lock.unlock()
      try check(after == before + 1, "\(before) and one make \(after)")
    }
    let rest = others.map { lock in
      { @Sendable () async throws -> Void in
        for _ in 0..<5 { await think(Box(0)) }
        await lock.lock()
        await number.change { $0 += 1 }
        await lock.unlock()
      }
    }
    try await together([first] + rest)
  }
}
