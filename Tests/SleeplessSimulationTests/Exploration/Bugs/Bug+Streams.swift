// virtual time: the tests run these in simulations
/// Values in streams and channels.
extension Bug {
  static let streams = [
    Bug("finished too early", "The stream is finished before its last value has been given to it.")
    {
      try await download { await $0.stop() }
    } fixed: {
      try await download { await $0.stopAfterLast() }
    },
    Bug("newest only", "A buffer for the newest value drops a value that the reader should see.") {
      try await read(.bufferingNewest(1))
    } fixed: {
      try await read(.unbounded)
    },
    Bug("send under lock", "The sender holds the lock that the receiver takes first.") {
      try await send { channel, lock in
        await lock.lock()
        await channel.send("a")
        await lock.unlock()
      }
    } fixed: {
      try await send { channel, lock in
        await lock.lock()
        await lock.unlock()
        await channel.send("a")
      }
    },
    Bug("gone receiver", "The receiver gives up while the sender is on its way to wait for it.") {
      let channel = Channel()
      try await giveUp(on: channel) { await channel.send("a") }
    } fixed: {
      let channel = Channel()
      try await giveUp(on: channel) { await channel.sendUnlessClosed("a") }
    },
  ]

  private actor Download {
    let stream: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation
    private let (disk, log) = (Box(0), Box<[Int]>([]))
    private var writing: Task<Void, Never>?

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func start() {
      writing = Task(name: "writer") {
        for progress in [50, 100] {
          await disk.set(progress)
          await log.change { $0.append(progress) }
          continuation.yield(progress)
        }
      }
    }

    func stop() async {
      while await disk.value < 100 { try? await Task.sleep(for: .milliseconds(1)) }
      continuation.finish()
    }

    func stopAfterLast() async {
      await writing?.value
      continuation.finish()
    }
  }

  private static func download(
    _ stop: @escaping @Sendable (Download) async -> Void
  ) async throws {
    let download = Download()
    await download.start()
    try await both {
      var last = 0
      for await progress in download.stream { last = progress }
      try check(last == 100, "the bar ends at \(last) %")
    } _: {
      await stop(download)
    }
  }

  private static func read(
    _ buffering: AsyncStream<String>.Continuation.BufferingPolicy
  ) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: buffering)
    let (seen, source) = (Box<[String]>([]), Box("ab"))
    try await both {
      for await value in stream { await seen.change { $0.append(value) } }
    } _: {
      for character in await source.value {
        await source.change { $0.removeFirst() }
        await source.change { $0.append("-") }
        continuation.yield(String(character))
      }
      await source.set("")
      continuation.finish()
    }
    let values = await seen.value
    try check(values == ["a", "b"], "the reader saw \(values)")
  }

  /// Passes values from a sender to a receiver directly.
  private actor Channel {
    private var isClosed = false
    private var senders: [(String, CheckedContinuation<Void, Never>)] = []
    private var receivers: [CheckedContinuation<String?, Never>] = []

    func send(_ value: String) async {
      if receivers.isEmpty {
        await withCheckedContinuation { senders.append((value, $0)) }
      } else {
        receivers.removeFirst().resume(returning: value)
      }
    }

    func sendUnlessClosed(_ value: String) async {
      if !isClosed { await send(value) }
    }

    func receive() async -> String? {
      guard senders.isEmpty else {
        let (value, sender) = senders.removeFirst()
        sender.resume()
        return value
      }
      return await withCheckedContinuation { receivers.append($0) }
    }

    func close() {
      isClosed = true
      for (_, sender) in senders { sender.resume() }
      senders = []
    }
  }

  private static func send(
    _ send: @escaping @Sendable (Channel, AsyncLock) async -> Void
  ) async throws {
    let (channel, lock, inbox) = (Channel(), AsyncLock(), Box<[String]>([]))
    try await both {
      await lock.lock()
      await inbox.change { $0 = [] }
      await lock.unlock()
      if let value = await channel.receive() { await inbox.change { $0.append(value) } }
    } _: {
      let letter = Box("")
      for word in ["dear", "a"] { await letter.change { $0 += word } }
      _ = await letter.value
      await send(channel, lock)
    }
  }

  private static func giveUp(
    on channel: Channel, _ send: @escaping @Sendable () async -> Void
  ) async throws {
    let question = Box("?")
    try await both(send) {
      if await question.value == "?" { await question.set("no") }
      await channel.close()
    }
  }
}
