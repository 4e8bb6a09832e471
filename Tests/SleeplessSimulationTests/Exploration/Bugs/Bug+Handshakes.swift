/// Tasks that signal each other and wait for signals.
extension Bug {
  static let handshakes = [
    Bug("lost signal", "The signal comes between the check of the state and the wait.") {
      try await meet { await $0.pass() }
    } fixed: {
      try await meet { await $0.passAtOnce() }
    },
    Bug("stop needs itself", "stop() holds the lock that the worker needs for its last piece.") {
      await record { await $0.stop() }
    } fixed: {
      await record { await $0.stopUnlocked() }
    },
    Bug("late subscriber", "The event is sent while the task that should receive it is starting.") {
      let bus = Bus()
      let heard = Task(name: "subscriber") { await bus.next() }
      await bus.prepare()
      await bus.send("hello")
      try check(await heard.value == "hello", "heard something else")
    } fixed: {
      let bus = Bus()
      let events = await bus.subscribe()
      let heard = Task(name: "subscriber") { await events.first { _ in true } }
      await bus.prepare()
      await bus.send("hello")
      try check(await heard.value == "hello", "heard something else")
    },
    Bug("entered too late", "A wait for all to leave ends before the first has entered.") {
      try await gather { crowd, work in
        Task(name: "worker") {
          await crowd.enter()
          await work()
        }
      }
    } fixed: {
      try await gather { crowd, work in
        await crowd.enter()
        return Task(name: "worker") { await work() }
      }
    },
    Bug("barrier again", "A fast task enters the barrier's next round before all left the last.") {
      try await meetTwice { await $0.arrive() }
    } fixed: {
      try await meetTwice { await $0.arriveInRound() }
    },
  ]

  private actor Door {
    private let (isOpen, display) = (Box(false), Box("closed"))
    private var wasOpened = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
      guard await !isOpen.value else { return }
      await display.set("please wait")
      await withCheckedContinuation { waiting.append($0) }
    }

    func passAtOnce() async {
      guard !wasOpened else { return }
      await display.set("please wait")
      if !wasOpened { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() async {
      await isOpen.set(true)
      wasOpened = true
      for waiter in waiting { waiter.resume() }
      waiting = []
    }
  }

  private static func meet(_ pass: @escaping @Sendable (Door) async -> Void) async throws {
    let (door, key) = (Door(), Box("in the pocket"))
    try await both {
      await pass(door)
    } _: {
      if await key.value == "in the pocket" { await key.set("in the lock") }
      await door.open()
    }
  }

  private actor Recorder {
    private let lock = AsyncLock()
    private let file = Box<[String]>([])
    private var worker: Task<Void, Never>?

    func start() {
      worker = Task(name: "writer") {
        await file.change { $0.append("piece") }
        if Task.isCancelled { return }
        await lock.lock()
        await file.change { $0.append("last piece") }
        await lock.unlock()
      }
    }

    func stop() async {
      await lock.lock()
      worker?.cancel()
      await worker?.value
      await lock.unlock()
    }

    func stopUnlocked() async {
      worker?.cancel()
      await worker?.value
    }
  }

  private static func record(_ stop: (Recorder) async -> Void) async {
    let (recorder, screen) = (Recorder(), Box("recording"))
    await recorder.start()
    if await screen.value == "recording" { await screen.set("stopping") }
    await stop(recorder)
  }

  private actor Bus {
    private var listeners: [CheckedContinuation<String?, Never>] = []
    private var streams: [AsyncStream<String>.Continuation] = []
    private let settings = Box("loud")

    func next() async -> String? {
      await withCheckedContinuation { listeners.append($0) }
    }

    func subscribe() -> AsyncStream<String> {
      let (stream, continuation) = AsyncStream<String>.makeStream()
      streams.append(continuation)
      return stream
    }

    func prepare() async {
      while await settings.value != "ready" { await settings.set("ready") }
    }

    func send(_ event: String) {
      for listener in listeners { listener.resume(returning: event) }
      listeners = []
      for stream in streams { stream.yield(event) }
    }
  }

  /// Counts the tasks inside; one task may wait until there are none.
  private actor Crowd {
    private var count = 0
    private var waiting: CheckedContinuation<Void, Never>?

    func enter() { count += 1 }

    func leave() {
      count -= 1
      guard count == 0 else { return }
      waiting?.resume()
      waiting = nil
    }

    func waitUntilEmpty() async {
      if count > 0 { await withCheckedContinuation { waiting = $0 } }
    }
  }

  private static func gather(
    _ start: (Crowd, @escaping @Sendable () async -> Void) async -> Task<Void, Never>
  ) async throws {
    let (crowd, done) = (Crowd(), Box(0))
    var workers: [Task<Void, Never>] = []
    for _ in 0..<2 {
      workers.append(
        await start(crowd) {
          await done.change { $0 += 1 }
          await crowd.leave()
        })
    }
    let greeting = Box("")
    await greeting.set("hello")
    await crowd.waitUntilEmpty()
    let count = await done.value
    for worker in workers { await worker.value }
    try check(count == 2, "\(count) of 2 were waited for")
  }

  /// Resumes two tasks when both have arrived.
  private actor Barrier {
    private var (arrived, left) = (0, 0)
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func arrive() async {
      arrived += 1
      await waitForOther()
      left += 1
      if left == 2 { (arrived, left) = (0, 0) }
    }

    private func waitForOther() async {
      guard arrived == 2 else { return await withCheckedContinuation { waiting.append($0) } }
      letGo()
    }

    func arriveInRound() async {
      guard arrived == 1 else {
        arrived += 1
        return await withCheckedContinuation { waiting.append($0) }
      }
      arrived = 0
      letGo()
    }

    private func letGo() {
      for waiter in waiting { waiter.resume() }
      waiting = []
    }
  }

  private static func meetTwice(
    _ arrive: @escaping @Sendable (Barrier) async -> Void
  ) async throws {
    let (barrier, work) = (Barrier(), Box(0))
    let rounds: @Sendable () async throws -> Void = {
      for _ in 1...3 {
        await work.change { $0 += 1 }
        await arrive(barrier)
      }
    }
    try await both(rounds, rounds)
    let done = await work.value
    try check(done == 6, "\(done) pieces of work")
  }
}
