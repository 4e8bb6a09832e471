// virtual time: in simulations no sleep takes time, and on real threads each sleep here is of zero or is cancelled
import Sleepless
import TestSupport

extension SmallProgram {
  /// Programs whose every order is one of steps: each `await` suspends, or may.
  static var suspending: [Self] {
    pauses + wakes + tasks + hops
  }

  private static var pauses: [Self] {
    [
      Self("yield") { await Task.yield() },
      Self("sleep of zero") { try? await Task.sleep(for: .zero) },
      Self("sleep of less than zero") { try? await Task.sleep(for: .seconds(-1)) },
      Self("past deadline") {
        try? await Task.sleep(until: .now - .seconds(1), clock: .continuous)
      },
      Self("past deadline of the suspending clock") {
        try? await Task.sleep(until: .now - .seconds(1), clock: .suspending)
      },
      Self("sleep of zero nanoseconds") { try? await Task.sleep(nanoseconds: 0) },
    ]
  }

  private static var wakes: [Self] {
    [
      Self(
        "continuation, resumed later", "arb",
        beside: { note in
          note("a")
          await withUnsafeContinuation { continuation in
            Task {
              note("r")
              continuation.resume()
            }
          }
          note("b")
        }),
      Self(
        "checked continuation, resumed later", "arb",
        beside: { note in
          note("a")
          await withCheckedContinuation { continuation in
            Task {
              note("r")
              continuation.resume()
            }
          }
          note("b")
        }),
      Self(
        "stream, empty buffer", "arb",
        beside: { note in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          note("a")
          Task {
            note("r")
            continuation.yield(1)
          }
          var iterator = stream.makeAsyncIterator()
          _ = await iterator.next()
          note("b")
        }),
      Self(
        "stream, finished later", "arb",
        beside: { note in
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          note("a")
          Task {
            note("r")
            continuation.finish()
          }
          for await _ in stream {}
          note("b")
        }),
      Self(
        "cancellation of a sleep", "arb",
        beside: { note in
          note("a")
          let sleeper = Task {
            try? await Task.sleep(for: .seconds(3600))
            note("b")
          }
          Task {
            note("r")
            sleeper.cancel()
          }
          await sleeper.value
        }),
      Self(
        "cancellation of a stream", "arb",
        beside: { note in
          note("a")
          let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
          let reader = Task {
            for await _ in stream {}
            note("b")
          }
          Task {
            note("r")
            reader.cancel()
          }
          await reader.value
          continuation.finish()
        }),
      Self(
        "cancellation handler", "arb",
        beside: { note in
          note("a")
          let waiting = Locked<UnsafeContinuation<Void, Never>?>(nil)
          let isCancelled = Locked(false)
          let waiter = Task {
            await withTaskCancellationHandler {
              await withUnsafeContinuation { continuation in
                waiting.withLock { $0 = continuation }
                if isCancelled.withLock({ $0 }) {
                  waiting.withLock { $0.take() }?.resume()
                }
              }
            } onCancel: {
              note("r")
              isCancelled.withLock { $0 = true }
              waiting.withLock { $0.take() }?.resume()
            }
            note("b")
          }
          Task { waiter.cancel() }
          await waiter.value
        }),
    ]
  }

  private static var tasks: [Self] {
    [
      Self(
        "value of a running task", "arb",
        beside: { note in
          note("a")
          let task = Task { note("r") }
          await task.value
          note("b")
        }),
      Self(
        "value of a detached task", "arb",
        beside: { note in
          note("a")
          let task = Task.detached { note("r") }
          await task.value
          note("b")
        }),
      Self(
        "next of a group", "arb",
        beside: { note in
          await withTaskGroup { group in
            note("a")
            group.addTask { note("r") }
            await group.next()
            note("b")
          }
        }),
      Self(
        "next of a throwing group", "arb",
        beside: { note in
          try? await withThrowingTaskGroup { group in
            note("a")
            group.addTask { note("r") }
            try await group.next()
            note("b")
          }
        }),
      Self(
        "next of a group with two results", "ab",
        beside: { note in
          await withTaskGroup { group in
            group.addTask {}
            group.addTask {}
            await group.next()
            note("a")
            await group.next()
            note("b")
          }
        }),
      Self(
        "end of a discarding group", "arb asb",
        beside: { note in
          await withDiscardingTaskGroup { group in
            note("a")
            group.addTask { note("r") }
            group.addTask { note("s") }
          }
          note("b")
        }),
      Self(
        "async let", "arb",
        beside: { note in
          note("a")
          async let child: Void = note("r")
          await child
          note("b")
        }),
      Self(
        "async let, not awaited", "arb",
        beside: { note in
          do {
            note("a")
            async let _ = note("r")
          }
          note("b")
        }),
      Self(
        "Task.immediate", "arb",
        beside: { note in
          let task = Task.immediate {
            note("a")
            await Task.yield()
            note("r")
          }
          await task.value
          note("b")
        }),
      Self(
        "priority escalation", "arsb",
        beside: { note in
          note("a")
          let task = Task(priority: .background) {
            note("r")
            await Task.yield()
            note("s")
          }
          await Task(priority: .high) { await task.value }.value
          note("b")
        }),
    ]
  }

  private static var hops: [Self] {
    [
      Self(
        "hop to an actor and back", "ab",
        beside: { note in
          await Desk().run { note("a") }
          note("b")
        }),
      Self(
        "hop from actor to actor", "ab",
        beside: { note in
          let (first, second) = (Desk(), Desk())
          await first.run { note("a") }
          await second.run { note("b") }
        }),
      Self("three tasks and one actor", "a b c") { note in
        let desk = Desk()
        await together(
          { await desk.run { note("a") } }, { await desk.run { note("b") } },
          { await desk.run { note("c") } })
      },
      Self("yield in an actor", "ab c") { note in
        let desk = Desk()
        await together(
          {
            await desk.run {
              note("a")
            } then: {
              note("b")
            }
          }, { await desk.run { note("c") } })
      },
      Self(
        "main actor", "ab",
        beside: { note in
          await MainActor.run { note("a") }
          note("b")
        }),
      Self(
        "task of the main actor", "ab",
        beside: { note in
          await Task { @MainActor in
            note("a")
            await Task.yield()
            note("b")
          }.value
        }),
      Self(
        "from an actor to the main actor", "ab",
        beside: { note in
          await Desk().run { note("a") }
          await MainActor.run { note("b") }
        }),
      Self(
        "nonisolated call of an actor", "ab",
        beside: { note in
          await Desk().leave {
            note("a")
          } then: {
            note("b")
          }
        }),
    ]
  }
}

/// An actor that runs what it is given.
private actor Desk {
  func run(_ work: @Sendable () -> Void) { work() }

  func run(_ work: @Sendable () -> Void, then next: @Sendable () -> Void) async {
    work()
    await Task.yield()
    next()
  }

  func leave(_ work: @Sendable () -> Void, then next: @Sendable () -> Void) async {
    await elsewhere(work)
    next()
  }
}

@concurrent private func elsewhere(_ work: @Sendable () -> Void) async { work() }
