// virtual time: in simulations no sleep takes time, and on real threads each sleep here is of zero or is cancelled
import Sleepless
import TestSupport
import Testing

/// A small program whose tasks note letters. Only the order of the letters varies.
///
/// Each task notes at most one letter from one suspension to the next, and notes it before it wakes another task:
/// what happens between two statements of one step is not a matter of schedules.
struct SmallProgram: Sendable, CustomTestStringConvertible {
  typealias Note = @Sendable (Character) -> Void

  /// The suspension that the program is about.
  let name: String
  /// Letters of which each comes before the next, in every order; several such words, with spaces between.
  let chains: String
  let body: @Sendable (@escaping Note) async -> Void

  var testDescription: String { name }

  init(
    _ name: String, _ chains: String, _ body: @escaping @Sendable (@escaping Note) async -> Void
  ) {
    (self.name, self.chains, self.body) = (name, chains, body)
  }

  /// A task that notes a and b, with `pause` between them, beside a task that notes x and y with a yield between.
  init(_ name: String, between pause: @escaping @Sendable () async -> Void) {
    self.init(
      name, "ab",
      beside: { note in
        note("a")
        await pause()
        note("b")
      })
  }

  /// A task beside a task that notes x and y with a yield between.
  init(
    _ name: String, _ chains: String,
    beside task: @escaping @Sendable (@escaping Note) async -> Void
  ) {
    self.init(name, chains + " xy") { note in
      await together(
        { await task(note) },
        {
          note("x")
          await Task.yield()
          note("y")
        })
    }
  }

  /// All orders that the chains allow.
  var allOrders: Set<String> {
    let words = chains.split(separator: " ")
    var orders = [""]
    for letter in Set(chains.filter { $0 != " " }) {
      orders = orders.flatMap { order in
        (0...order.count).map { place in
          String(order.prefix(place)) + [letter] + String(order.dropFirst(place))
        }
      }
    }
    return Set(orders.filter { order in words.allSatisfy { $0 == order.filter($0.contains) } })
  }

  /// Runs the program once and returns its letters, in order. `delay` runs before and after each.
  func order(delay: @escaping @Sendable (Int) -> Void = { _ in }) async -> String {
    let log = Locked("")
    await body { letter in
      delay(Int(letter.asciiValue!))
      log.withLock { $0.append(letter) }
      delay(2 * Int(letter.asciiValue!))
    }
    return log.withLock { $0 }
  }
}

/// Runs each closure in a task of its own, and waits until the last one has ended.
///
/// A group would add steps of its own: the last task to end resumes the caller.
func together(_ bodies: @Sendable () async -> Void...) async {
  let left = Locked(bodies.count)
  await withUnsafeContinuation { (end: UnsafeContinuation<Void, Never>) in
    for body in bodies {
      Task {
        await body()
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { end.resume() }
      }
    }
  }
}

// MARK: The programs

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
