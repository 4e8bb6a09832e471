// virtual time: all sleeps are in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// The run loop of a thread that is not the main one, run by a block of a queue.
  @Suite(.needs(.runLoops)) struct OwnRunLoopTests {
    @Test func `a timer that never fires keeps a run loop running`() async throws {
      let log = try await inBlock { log in
        let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.current.add(timer, forMode: .default)
        let hasRun = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
        log.append("ran \(hasRun) until \(Simulation.current!.now)")
        timer.invalidate()
      }
      #expect(log == ["ran true until 5.0 seconds"])
    }

    @Test func `a timer that never fires is invalid when its block has ended`() async throws {
      let log = try await inBlock { log in
        let timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
        RunLoop.current.add(timer, forMode: .default)
        nonisolated(unsafe) let kept = timer
        Task {
          try await Task.sleep(for: .seconds(1))
          log.append("valid: \(kept.isValid)")
        }
      }
      #expect(log == ["valid: false"])
    }

    @Test func `an earlier date that a task gives a timer counts`() async throws {
      let log = try await inBlock { log in
        let date = Date(timeIntervalSinceNow: 10)
        let timer = Timer(fire: date, interval: 0, repeats: false) { _ in
          log.append("fired at \(Simulation.current!.now)")
        }
        RunLoop.current.add(timer, forMode: .default)
        nonisolated(unsafe) let other = timer
        Task {
          try await Task.sleep(for: .seconds(1))
          other.fireDate = Date(timeIntervalSinceNow: 1)
        }
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 20))
      }
      #expect(log == ["fired at 2.0 seconds"])
    }

    @Test func `a block that a performed block performs runs in the same run`() async throws {
      let log = try await inBlock { log in
        RunLoop.current.perform {
          log.append("outer")
          RunLoop.current.perform { log.append("inner") }
        }
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5))
        log.append("has run")
      }
      #expect(log == ["outer", "inner", "has run"])
    }

    /// Runs code in a block of a queue, and everything else until it has come to rest. Returns what was logged.
    private func inBlock(
      _ body: @escaping @Sendable (Log<String>) -> Void
    ) async throws -> [String] {
      let outcome = await Simulation.run { () -> [String] in
        let log = Log<String>()
        await withCheckedContinuation { done in
          DispatchQueue(label: "com.example.queue").async {
            body(log)
            done.resume()
          }
        }
        await Simulation.current!.settle()
        return log.values
      }
      return try #require(try outcome.result?.get())
    }
  }
#endif
