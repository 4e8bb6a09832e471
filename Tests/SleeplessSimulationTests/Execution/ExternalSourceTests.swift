// virtual time: all sleeps are in simulations
#if os(Linux)
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// Callbacks of files and of the network come from outside, and leave virtual time alone (S5).
  @Suite(.needs(.queues), .timeLimit(.minutes(10))) struct ExternalSourceTests {
    /// A task is resumed from outside, sooner or later; even on a busy machine that is no deadlock.
    private let options = {
      var options = Simulation.Options()
      options.deadlockTimeout = options.timeout
      return options
    }()

    /// Awaits an answer from outside between two sleeps, and compares the reports of it with those of one answer.
    private func expectOneAnswer(
      at location: SourceLocation = #_sourceLocation,
      _ ask: @escaping @Sendable (CheckedContinuation<String, Never>) -> Void,
      is expected: String
    ) async throws {
      let outcome = await Simulation.run(options) {
        try await Task.sleep(for: .seconds(3))
        let answer = await withCheckedContinuation { continuation in
          // Runs when the task that creates it has left its thread.
          Simulation.current!.background { _ = Task { ask(continuation) } }
        }
        let time = Simulation.current!.now
        try await Task.sleep(for: .seconds(2))
        return (answer, time)
      }
      let (answer, time) = try #require(try outcome.result?.get(), sourceLocation: location)
      #expect(answer == expected, sourceLocation: location)
      #expect(time == .seconds(3), sourceLocation: location)
      #expect(outcome.report.elapsed == .seconds(5), sourceLocation: location)
      #expect(outcome.report.externalResumptionCount == 1, sourceLocation: location)
      #expect(
        outcome.report.externalResumptions.map(\.task.text) == ["0 suspended since 3.0 seconds"],
        sourceLocation: location)
    }

    @Test func `S5 a source for a pipe, on a queue of its own`() async throws {
      try await expectOneAnswer(
        { continuation in
          let queue = DispatchQueue(label: "com.example.pipe")
          Self.read(on: queue) { continuation.resume(returning: $0) }
        }, is: "outside: hello")
    }

    @Test func `S5 a source for a pipe, on a queue that has blocks of the simulation`() async throws
    {
      let queue = DispatchQueue(label: "com.example.pipe")
      try await expectOneAnswer(
        { continuation in
          queue.async {
            queue.async {
              Self.read(on: queue) { continuation.resume(returning: $0) }
            }
          }
        }, is: "outside: hello")
    }

    @Test(arguments: OutsideAnswer.allCases)
    func `S5 an answer of code that the simulation has begun and does not control`(
      answer: OutsideAnswer
    ) async throws {
      await OutsideAnswer.prepareChildProcesses()
      try await expectOneAnswer(
        { continuation in answer.begin { continuation.resume(returning: $0) } }, is: "outside")
    }

    // In processes of their own, because handlers of signals are the process's.

    @Test(.oneProcess) func `S5 a source for a signal`() async {
      await #expect(processExitsWith: .success) {
        try await ExternalSourceTests().expectOneAnswer({ Self.waitForSignal($0) }, is: "outside")
      }
    }

    @Test(.oneProcess) func `S5 a handler of C for a signal, which runs in the job that raises it`()
      async
    {
      await #expect(processExitsWith: .success) {
        try await ExternalSourceTests().expectOneAnswer(
          { Self.handleSignal($0) }, is: "outside, handled at 3")
      }
    }

    /// Sends the process a signal when a source listens to it.
    private static func waitForSignal(_ continuation: CheckedContinuation<String, Never>) {
      nonisolated(unsafe) let source = DispatchSource.makeSignalSource(
        signal: SIGWINCH, queue: .global())
      source.setEventHandler {
        source.cancel()
        continuation.resume(returning: Simulation.current == nil ? "outside" : "inside")
      }
      source.setRegistrationHandler { kill(getpid(), SIGWINCH) }
      source.activate()
    }

    /// Raises a signal in a job. Its handler runs in that job, and lets a thread go on that answers.
    private static func handleSignal(_ continuation: CheckedContinuation<String, Never>) {
      sem_init(handled, 0, 0)
      signal(SIGUSR1) { _ in
        secondOfSignal.withLock { $0 = Simulation.current?.now.components.seconds }
        sem_post(handled)
      }
      Thread.detachNewThread {
        sem_wait(handled)
        let place = Simulation.current == nil ? "outside" : "inside"
        let second = secondOfSignal.withLock { $0 }
        continuation.resume(returning: "\(place), handled at \(second ?? -1)")
      }
      // Dispatch's threads take no signals.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR1)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      raise(SIGUSR1)
    }

    @Test func `S5 a network call that localhost refuses`() async throws {
      let port = try RefusedPort()
      try await expectOneAnswer(
        { continuation in
          let url = URL(string: "http://127.0.0.1:\(port.number)/")!
          URLSession.shared.dataTask(with: url) { data, _, error in
            let place = Simulation.current == nil ? "outside" : "inside"
            let isRefused = data == nil && error is URLError
            continuation.resume(returning: "\(place): \(isRefused ? "refused" : "\(error as Any)")")
          }.resume()
        }, is: "outside: refused")
      port.close()
    }

    @Test func `S5 an awaited network call that localhost refuses takes no virtual time`()
      async throws
    {
      let port = try RefusedPort()
      let outcome = await Simulation.run(options) {
        try await Task.sleep(for: .seconds(3))
        let url = URL(string: "http://127.0.0.1:\(port.number)/")!
        await #expect(throws: URLError.self) { _ = try await URLSession.shared.data(from: url) }
        #expect(Simulation.current?.now == .seconds(3))
        try await Task.sleep(for: .seconds(2))
      }
      port.close()
      #expect(outcome.report.ending.name == "finished")
      #expect(outcome.report.elapsed == .seconds(5))
      // If the answer comes first, nothing waits for it.
      #expect(outcome.report.externalResumptionCount <= 1)
    }

    /// Writes to a pipe, and reads it in the handler of a source.
    private static func read(
      on queue: DispatchQueue, _ answer: @escaping @Sendable (String) -> Void
    ) {
      let pipe = Pipe()
      let reader = pipe.fileHandleForReading
      nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: reader.fileDescriptor, queue: queue)
      source.setEventHandler {
        let text = String(decoding: reader.availableData, as: UTF8.self)
        source.cancel()
        answer("\(Simulation.current == nil ? "outside" : "inside"): \(text)")
      }
      source.activate()
      pipe.fileHandleForWriting.write(Data("hello".utf8))
    }
  }

  /// A semaphore of C, which handlers of signals may use.
  private nonisolated(unsafe) let handled = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  /// The virtual time that the handler has seen.
  private let secondOfSignal = Locked<Int64?>(nil)

  /// A port of this machine on which nothing listens, while it is open.
  private final class RefusedPort: Sendable {
    let number: UInt16
    private let socket: Int32

    init() throws {
      #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue)
      #else
        let kind = SOCK_STREAM
      #endif
      socket = Foundation.socket(AF_INET, kind, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let socket = socket
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
        }
      }
      number = UInt16(bigEndian: address.sin_port)
      try #require(isBound)
    }

    func close() { _ = Foundation.close(socket) }
  }
#endif
