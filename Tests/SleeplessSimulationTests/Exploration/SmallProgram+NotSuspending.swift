// virtual time: in simulations no sleep takes time, and on real threads each sleep here is of zero or is cancelled
import Sleepless
import TestSupport

extension SmallProgram {
  /// Programs whose `await` between a and b need not wait, so that the task is not suspended there.
  static var notSuspending: [Self] {
    [
      Self("continuation, resumed before") { await withUnsafeContinuation { $0.resume() } },
      Self("checked continuation, resumed before") {
        await withCheckedContinuation { $0.resume() }
      },
      Self("stream, full buffer") {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.yield(1)
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
      },
      Self("stream, finished before") {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        continuation.finish()
        for await _ in stream {}
      },
      Self(
        "value of a task that has ended", "ab",
        beside: { note in
          let task = Task {}
          await task.value
          note("a")
          await task.value
          note("b")
        }),
      Self("sleep of a task that is cancelled") {
        withUnsafeCurrentTask { $0?.cancel() }
        try? await Task.sleep(for: .seconds(3600))
      },
      Self("function of the same isolation") { await nothing() },
    ]
  }

  /// A task that notes a and releases an object whose isolated deinitializer notes b.
  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
  static var deinitOfActor: Self {
    Self(
      "isolated deinit of an actor", "ab",
      beside: { note in
        await withUnsafeContinuation { end in
          let leaver = Leaver(note, end)
          note("a")
          withExtendedLifetime(leaver) {}
        }
      })
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
  static var deinitOnMainActor: Self {
    Self(
      "isolated deinit on the main actor", "ab",
      beside: { note in
        await withUnsafeContinuation { end in
          let leaver = MainLeaver(note, end)
          note("a")
          withExtendedLifetime(leaver) {}
        }
      })
  }

  /// Programs that note a in the statement after a task has been woken or created, which then notes b.
  static var waking: [Self] {
    [
      Self("statement after Task {}", "a b") { note in
        let task = Task { note("b") }
        note("a")
        await task.value
      },
      Self("statement after async let", "a b") { note in
        async let child: Void = note("b")
        note("a")
        await child
      },
      Self("statement after addTask", "a b") { note in
        await withTaskGroup { group in
          group.addTask { note("b") }
          note("a")
        }
      },
      Self("statement after resume()", "a b") { note in
        var waker: Task<Void, Never>?
        await withUnsafeContinuation { continuation in
          waker = Task {
            continuation.resume()
            note("a")
          }
        }
        note("b")
        await waker?.value
      },
      Self("statement after yield(_:)", "a b") { note in
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let waker = Task {
          continuation.yield(1)
          note("a")
        }
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
        note("b")
        await waker.value
      },
    ]
  }
}

private func nothing() async {}

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
private actor Leaver {
  private let note: SmallProgram.Note
  private let end: UnsafeContinuation<Void, Never>

  init(_ note: @escaping SmallProgram.Note, _ end: UnsafeContinuation<Void, Never>) {
    (self.note, self.end) = (note, end)
  }

  isolated deinit {
    note("b")
    end.resume()
  }
}

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, *)
@MainActor private final class MainLeaver {
  private let note: SmallProgram.Note
  private let end: UnsafeContinuation<Void, Never>

  nonisolated init(_ note: @escaping SmallProgram.Note, _ end: UnsafeContinuation<Void, Never>) {
    (self.note, self.end) = (note, end)
  }

  isolated deinit {
    note("b")
    end.resume()
  }
}
