import Sleepless
import SleeplessTesting
import TestSupport
import VirtualTime

// Tasks that hold the object that they work for. The check waits shortly for them to release it.

private final class Poller: Sendable {
  let interval = Duration.seconds(3600)
  func poll() async {}

  /// Holds the poller for ever.
  func start() -> Task<Void, any Error> {
    Task {
      while true {
        await self.poll()
        try await Task.sleep(for: self.interval)  // real time: cancelled before it is over
      }
    }
  }
}

private final class Listener: Sendable {
  let values = Log<Int>()
  func listen(to stream: AsyncStream<Int>) -> Task<Void, Never> {
    Task { for await value in stream { self.values.append(value) } }
  }
  static func listen(to stream: AsyncStream<Int>, _ listener: Listener) -> Task<Void, Never> {
    Task { [weak listener] in for await value in stream { listener?.values.append(value) } }
  }
}

private final class Asker: Sendable {
  let question = "?"
  func ask(_ waiting: Locked<UnsafeContinuation<Void, Never>?>) async -> String {
    await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
    return question
  }
}

private final class Owner: Sendable {
  let task = Locked<Task<Void, Never>?>(nil)
  func work(_ stream: AsyncStream<Int>) {
    let task = Task { for await _ in stream { _ = self } }
    self.task.withLock { $0 = task }
  }
}

private final class Loader: @unchecked Sendable {
  // Unchecked because one task at a time uses it.
  var loading: Task<Loader, Never>?
  var trying: Task<Int, any Error>?
}

private struct LoaderError: Error {
  let loader: Loader
}

extension Leak {
  static let tasks = [
    Leak(
      "the value of a task that has ended", at: #line + 3,
      reads: guess(cycle("Loader", "Loader.loading -> Task.result -> Loader"))
    ) {
      await expectDeallocated {
        let loader = Loader()
        loader.loading = Task { loader }
        _ = await loader.loading?.value
        return loader
      }
    } healthy: {
      await expectDeallocated {
        let loader = Loader()
        loader.loading = Task { Loader() }
        _ = await loader.loading?.value
        return loader
      }
    },
    Leak(
      "the error of a task that has ended", at: #line + 3,
      reads: guess(cycle("Loader", "Loader.trying -> Task.result.loader -> Loader"))
    ) {
      await expectDeallocated {
        let loader = Loader()
        loader.trying = Task { throw LoaderError(loader: loader) }
        _ = try? await loader.trying?.value
        return loader
      }
    } healthy: {
      await expectDeallocated {
        let loader = Loader()
        loader.trying = Task { throw LoaderError(loader: Loader()) }
        _ = try? await loader.trying?.value
        return loader
      }
    },
    Leak(
      "a task that loops", at: #line + 11,
      reads: task("Poller", "task * -> Poller") + """

        Given 100 ms of real time, the test's work did not come to rest:
          task *: asleep
        """, needs: .capture,
      inSimulations: .reads(
        task("Poller", "task * -> Poller") + restless("task *: asleep until * since *"))
    ) {
      let tasks = Log<Task<Void, any Error>>()
      await HangTimeout.$shortened.withValue(.milliseconds(100)) {
        await expectDeallocated {
          let poller = Poller()
          tasks.append(poller.start())
          return poller
        }
      }
      for task in tasks.values { task.cancel() }
    } healthy: {
      await expectDeallocated {
        let poller = Poller()
        poller.start().cancel()
        return poller
      }
    },
    Leak(
      "for await over a stream that does not end", at: #line + 4,
      reads: task("Listener", "task * -> Listener"), needs: .capture
    ) {
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      await expectDeallocated {
        let listener = Listener()
        _ = listener.listen(to: stream)
        await Leak.settleTasks()
        return listener
      }
      source.finish()
    } healthy: {
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      await expectDeallocated {
        let listener = Listener()
        _ = Listener.listen(to: stream, listener)
        return listener
      }
      source.finish()
    },
    Leak(
      "a continuation that is never resumed", at: #line + 4,
      reads: task("Asker", "task * -> Asker"), needs: .capture
    ) {
      let waiting = Locked<UnsafeContinuation<Void, Never>?>(nil)
      await expectDeallocated {
        let asker = Asker()
        Task { await asker.ask(waiting) }
        await Leak.settleTasks()
        return asker
      }
      waiting.withLock { $0 }?.resume()
    } healthy: {
      let waiting = Locked<UnsafeContinuation<Void, Never>?>(nil)
      await expectDeallocated {
        let asker = Asker()
        let task = Task { await asker.ask(waiting) }
        await eventually { waiting.withLock { $0 != nil } }
        waiting.withLock { $0 }?.resume()
        _ = await task.value
        return asker
      }
    },
    Leak(
      "a task that its owner keeps", at: #line + 4,
      reads: task("Owner", "task * -> Owner"), needs: .capture
    ) {
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      await expectDeallocated {
        let owner = Owner()
        owner.work(stream)
        await Leak.settleTasks()
        return owner
      }
      source.finish()
    } healthy: {
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      await expectDeallocated {
        let owner = Owner()
        owner.work(stream)
        source.finish()
        return owner
      }
    },
  ]
}
