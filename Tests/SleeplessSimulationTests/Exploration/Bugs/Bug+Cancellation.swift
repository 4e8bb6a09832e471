// virtual time: the tests run these in simulations
/// Operations that a cancellation interrupts half-way.
extension Bug {
  static let cancellation = [
    Bug("lost continuation", "The cancellation comes before the continuation that it must resume.")
    {
      let mailbox = Mailbox()
      try await cancelReading { try await mailbox.next() }
    } fixed: {
      let mailbox = Mailbox()
      try await cancelReading { try await mailbox.nextUnlessCancelled() }
    },
    Bug("lost permit", "A waiter that is cancelled when its turn comes keeps the turn.") {
      try await takeTurns { try await $0.acquire() }
    } fixed: {
      try await takeTurns { try await $0.acquireOrPassOn() }
    },
    Bug("saved after all", "The draft is saved though it was discarded: the sleep had just ended.")
    {
      try await discard { await $0.saveLater() }
    } fixed: {
      try await discard { await $0.saveLaterUnlessCancelled() }
    },
    Bug("half a move", "A move that is cancelled in between leaves the file in both folders.") {
      try await cancelMoving { try await $0.move() }
    } fixed: {
      try await cancelMoving { try await $0.moveWhole() }
    },
  ]

  private actor Mailbox {
    private let display = Box("")
    private var waiting: CheckedContinuation<String, any Error>?
    private var isCancelled = false

    nonisolated func next() async throws -> String {
      try await withTaskCancellationHandler {
        await display.set("no letters yet")
        return try await wait()
      } onCancel: {
        Task(name: "cancel") { await cancel() }
      }
    }

    nonisolated func nextUnlessCancelled() async throws -> String {
      try await withTaskCancellationHandler {
        await display.set("no letters yet")
        return try await waitUnlessCancelled()
      } onCancel: {
        Task(name: "cancel") { await cancel() }
      }
    }

    private func wait() async throws -> String {
      try await withCheckedThrowingContinuation { waiting = $0 }
    }

    private func waitUnlessCancelled() async throws -> String {
      try await withCheckedThrowingContinuation { continuation in
        if isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          waiting = continuation
        }
      }
    }

    private func cancel() {
      isCancelled = true
      waiting?.resume(throwing: CancellationError())
      waiting = nil
    }
  }

  private static func cancelReading(
    _ read: @escaping @Sendable () async throws -> String
  ) async throws {
    let screen = Box("inbox")
    let reader = Task(name: "reader") { try await read() }
    if await screen.value == "inbox" { await screen.set("closed") }
    reader.cancel()
    _ = await reader.result
  }

  private actor Semaphore {
    private var permits = 1
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func acquire() async throws {
      await takeTurn()
      try Task.checkCancellation()
    }

    func acquireOrPassOn() async throws {
      await takeTurn()
      if Task.isCancelled {
        release()
        throw CancellationError()
      }
    }

    func release() {
      if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
    }

    private func takeTurn() async {
      if permits > 0 {
        permits -= 1
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }
  }

  private static func takeTurns(
    _ acquire: @escaping @Sendable (Semaphore) async throws -> Void
  ) async throws {
    let (semaphore, work) = (Semaphore(), Box(0))
    let use: @Sendable () async throws -> Void = {
      try await acquire(semaphore)
      await work.change { $0 += 1 }
      await semaphore.release()
    }
    let first = Task(name: "first", operation: use)
    let second = Task(name: "second", operation: use)
    for _ in 0..<4 { await pause(work) }
    second.cancel()
    _ = await (first.result, second.result)
    try await use()
  }

  private static func pause(_ work: Box<Int>) async { _ = await work.value }

  private actor Draft {
    let saved = Box<[String]>([])
    private var saving: Task<Void, Never>?

    func saveLater() {
      saving = Task(name: "autosave") {
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
        await saved.change { $0.append("draft") }
      }
    }

    func saveLaterUnlessCancelled() {
      saving = Task(name: "autosave") {
        try? await Task.sleep(for: .seconds(1))
        if !Task.isCancelled { await saved.change { $0.append("draft") } }
      }
    }

    func discard() async {
      saving?.cancel()
      await saved.set([])
    }
  }

  private static func discard(_ save: @escaping @Sendable (Draft) async -> Void) async throws {
    let (draft, screen) = (Draft(), Box("open"))
    await save(draft)
    try await Task.sleep(for: .seconds(1))
    await screen.set("closing")
    await draft.discard()
    try await Task.sleep(for: .milliseconds(100))
    let saved = await draft.saved.value
    try check(saved.isEmpty, "\(saved) was saved")
  }

  private actor File {
    let (source, target) = (Box(["a"]), Box<[String]>([]))

    func move() async throws {
      await target.change { $0.append("a") }
      try Task.checkCancellation()
      await source.change { $0.removeAll() }
    }

    func moveWhole() async throws {
      try Task.checkCancellation()
      await target.change { $0.append("a") }
      await source.change { $0.removeAll() }
    }
  }

  private static func cancelMoving(
    _ move: @escaping @Sendable (File) async throws -> Void
  ) async throws {
    let (file, progress) = (File(), Box(0))
    let moving = Task(name: "move") { try await move(file) }
    for _ in 0..<4 { await pause(progress) }
    moving.cancel()
    _ = await moving.result
    let count = await file.source.value.count + file.target.value.count
    try check(count == 1, "\(count) files")
  }
}
