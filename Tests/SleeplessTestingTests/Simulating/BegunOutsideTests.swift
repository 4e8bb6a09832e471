// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  import SleeplessSimulation
  import SleeplessTesting
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Work that code of a simulation begins and that the simulation does not control.
  @Suite(.needs(.queues)) struct BegunOutsideTests {
    @Test func `a test that fails names the signals and network calls that it has begun`()
      async
    {
      let kept = Outside()
      let failures = await failures {
        try? await simulate {
          try await Task.sleep(for: .seconds(3))
          kept.listen()
          kept.call()
          throw Failed()
        }
      }
      kept.end()
      #expect(failures.map(\.withoutFunctions.text) == [FailureText.workBegunOutside])
      #if DEBUG  // in release, the innermost function may be missing
        let places = failures.first?.text.matches(of: /Outside\.\w+\(\)/).map { String($0.0) }
        #expect(places == ["Outside.listen()", "Outside.call()"])
      #endif
    }

    @Test func `a test that passes has no such warning`() async {
      let kept = Outside()
      let failures = await failures { try? await simulate { kept.listen() } }
      kept.end()
      #expect(failures == [])
    }

    @Test func `a deadlock names them too`() async {
      let kept = Outside()
      let failures = await failures {
        try? await simulate {
          kept.listen()
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
      }
      kept.end()
      let end = failures.first?.withoutFunctions.text.split(separator: "\n").suffix(2)
      #expect(
        end == [
          "Begun outside:", "  a source of Dispatch for a descriptor or a signal, begun at 0 s",
        ])
    }

    @Test func `threads, child processes and queues that stay outside are named, too`() async {
      let kept = Outside()
      let failures = await failures {
        try? await simulate {
          kept.makeThread()
          kept.runProcess()
          throw Failed()
        }
      }
      kept.end()
      let listed = failures.last?.text.split(separator: "\n").dropFirst().dropLast()
        .map { $0.prefix { $0 != "," } }
      // Foundation makes a thread of its own for the first child process.
      #expect(listed?.first == "  a thread")
      #expect(listed?.filter { $0 != "  a thread" } == ["  a child process"])
    }

    private struct Failed: Error {}
  }

  /// Begins work outside, and ends it when a test is over.
  private final class Outside: Sendable {
    private let ends = Locked<[@Sendable () -> Void]>([])

    func listen() {
      let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
      source.activate()
      nonisolated(unsafe) let kept = source
      ends.withLock { $0.append { kept.cancel() } }
    }

    func call() {
      let task = URLSession.shared.dataTask(with: URL(string: "http://127.0.0.1:9/")!)
      task.resume()
      ends.withLock { $0.append { task.cancel() } }
    }

    func makeThread() {
      let hasRun = DispatchSemaphore(value: 0)
      Thread.detachNewThread { hasRun.signal() }
      ends.withLock { $0.append { hasRun.wait() } }
    }

    func runProcess() {
      let process = try! Process.run(URL(fileURLWithPath: "/bin/true"), arguments: [])
      ends.withLock { $0.append { process.waitUntilExit() } }
    }

    func end() {
      let ends = ends.withLock { $0 }
      for end in ends { end() }
    }
  }
#endif
