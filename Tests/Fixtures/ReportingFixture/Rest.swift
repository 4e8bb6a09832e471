#if os(Linux)  // Elsewhere waits do not end early.
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import SleeplessTesting
  import Testing
  import VirtualTime

  /// Waits in a process in which nothing else goes on.
  @Suite(.serialized) struct Rest {
    /// With a twentieth of a second at rest and two seconds at most. Events come after 0.4 s.
    private func shortly(_ body: () async -> Void) async {
      await HangTimeout.$shortened.withValue(.seconds(2)) {
        await HangTimeout.$shortenedRest.withValue(.milliseconds(50)) { await body() }
      }
    }

    @Test func condition() async {
      let flag = Flag()
      await shortly { await eventually { flag.isRaised } }  // MARK: rest condition
    }

    /// The thread that ran the simulation is kept for the next one.
    @Test func afterSimulation() async throws {
      try await simulate { await Task {}.value }
      let flag = Flag()
      await shortly { await eventually { flag.isRaised } }  // MARK: rest after a simulation
    }

    @Test func recorder() async {
      let numbers = Recorder<Int, Never>("numbers")
      await shortly { _ = try? await numbers.next() }  // MARK: rest recorder
    }

    @Test func comparison() async {
      let numbers = Recorder<Int, Never>("numbers")
      await shortly { await numbers.expect(1) }  // MARK: rest comparison
    }

    @Test func states() async {
      await shortly {
        await AssertState().assert(  // MARK: rest states
          when: {}, type: Int.self, publisher: StateSubject<Int, Never>(0),
          valuesAssertions: { _ in })
      }
    }

    @Test func sleepers() async {
      let clock = TestClock()
      await shortly { await clock.waitForSleepers() }  // MARK: rest sleepers
    }

    @Test func unshortened() async { await eventually { false } }  // MARK: rest unshortened

    @Test(arguments: EventSource.all) func event(of source: EventSource) async {
      let flag = Flag()
      source.start { flag.raise() }
      await shortly { await eventually { flag.isRaised } }
      #expect(flag.isRaised)
    }

    @Test func timerSignal() async {
      signal(SIGUSR2) { _ in hasSignal = 1 }
      var event = sigevent()
      event.sigev_notify = Int32(SIGEV_SIGNAL)
      event.sigev_signo = SIGUSR2
      var timer: timer_t?
      #expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
      var time = itimerspec()
      time.it_value.tv_nsec = 400_000_000
      timer_settime(timer, 0, &time, nil)
      await shortly { await eventually { hasSignal == 1 } }
      timer_delete(timer)
    }

    /// The condition itself brings the event.
    @Test func evaluations() async {
      let count = Locked(0)
      await shortly {
        await eventually {
          count.withLock { count in
            count += 1
            return count > 80
          }
        }
      }
    }

    @Test(arguments: ["date", "continuous clock", "dispatch time", "file", "poll", "readv"])
    func look(at what: String) async throws {
      let end = ContinuousClock.now + .milliseconds(400)
      let (date, time) = (Date(timeIntervalSinceNow: 0.4), DispatchTime.now() + 0.4)
      let file = FileManager.default.temporaryDirectory.appending(
        path: "sleepless-\(UUID().uuidString)")
      if what == "file" { try run("touch '\(file.path)'") }
      var (descriptor, byte) = (pollfd(), UInt8(0))
      if what == "poll" || what == "readv" {
        #expect(mkfifo(file.path, 0o600) == 0)
        descriptor = pollfd(
          fd: open(file.path, O_RDONLY | O_NONBLOCK), events: Int16(POLLIN), revents: 0)
        try run("echo > '\(file.path)'")
      }
      await shortly {
        await eventually {
          switch what {
          case "date": Date() > date
          case "continuous clock": .now > end
          case "dispatch time": .now() > time
          case "poll": poll(&descriptor, 1, 0) > 0
          case "readv":
            withUnsafeMutablePointer(to: &byte) { byte in
              var part = iovec(iov_base: byte, iov_len: 1)
              return readv(descriptor.fd, &part, 1) > 0
            }
          default: FileManager.default.fileExists(atPath: file.path)
          }
        }
      }
      try? FileManager.default.removeItem(at: file)
    }

    /// Runs a command after 0.4 s, in a process that is no child of this one.
    private func run(_ command: String) throws {
      var shell = pid_t()
      let command = "(sleep 0.4; \(command)) > /dev/null 2>&1 &"
      let words: [String?] = ["sh", "-c", command, nil]
      let arguments = words.map { word in word.flatMap { strdup($0) } }
      defer { for argument in arguments { free(argument) } }
      #expect(posix_spawn(&shell, "/bin/sh", nil, nil, arguments, environ) == 0)
      waitpid(shell, nil, 0)
    }
  }

  /// Whether the signal of a timer has come. A handler of signals may write such a number, and take no lock.
  nonisolated(unsafe) private var hasSignal: sig_atomic_t = 0

  final class Flag: Sendable {
    private let state = Locked(false)
    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
  }

  /// Something that runs a closure after 0.4 s of real time.
  struct EventSource: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: @Sendable (_ raise: @escaping @Sendable () -> Void) -> Void

    init(
      _ name: String, start: @escaping @Sendable (_ raise: @escaping @Sendable () -> Void) -> Void
    ) {
      testDescription = name
      self.start = start
    }

    static let all = [
      EventSource("queue") { raise in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.4) { raise() }
      },
      EventSource("wall time") { raise in
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + 0.4) { raise() }
      },
      EventSource("thread") { raise in
        Thread.detachNewThread {
          // real time: goes on outside simulations
          Thread.sleep(forTimeInterval: 0.4)
          raise()
        }
      },
      EventSource("computing thread") { raise in
        Thread.detachNewThread {
          let start = ContinuousClock.now
          while ContinuousClock.now - start < .milliseconds(400) { continue }
          raise()
        }
      },
      EventSource("task") { raise in
        Task {
          // real time: goes on outside simulations
          try? await Task.sleep(for: .milliseconds(400))
          raise()
        }
      },
      EventSource("detached task with a tolerance") { raise in
        Task.detached {
          // real time: goes on outside simulations
          try? await Task.sleep(for: .milliseconds(400), tolerance: .milliseconds(1))
          raise()
        }
      },
      EventSource("timer source") { raise in
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 0.4)
        timer.setEventHandler {
          raise()
          timer.cancel()
        }
        timer.activate()
      },
      EventSource("repeating timer source") { raise in
        let timer = DispatchSource.makeTimerSource()
        let count = Locked(0)
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler {
          let isLast = count.withLock { count in
            count += 1
            return count == 4
          }
          guard isLast else { return }
          raise()
          timer.cancel()
        }
        timer.activate()
      },
      EventSource("scheduler") { raise in
        let queue: any SchedulerType = DispatchQueue.global()
        queue.schedule(after: .milliseconds(400)) { raise() }
      },
      EventSource("run loop's timer") { raise in
        Thread.detachNewThread {
          let timer = Timer(fire: Date(timeIntervalSinceNow: 0.4), interval: 0, repeats: false) {
            _ in raise()
          }
          RunLoop.current.add(timer, forMode: .default)
          _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
        }
      },
      EventSource("semaphore") { raise in
        DispatchQueue.global().async {
          // real time: goes on outside simulations
          _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.4)
          raise()
        }
      },
      EventSource("group") { raise in
        DispatchQueue.global().async {
          let group = DispatchGroup()
          group.enter()
          // real time: goes on outside simulations
          _ = group.wait(timeout: .now() + 0.4)
          raise()
        }
      },
      EventSource("condition") { raise in
        Thread.detachNewThread {
          let condition = NSCondition()
          condition.lock()
          _ = condition.wait(until: Date(timeIntervalSinceNow: 0.4))
          condition.unlock()
          raise()
        }
      },
      EventSource("operations") { raise in
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        // real time: goes on outside simulations
        for _ in 0..<4 { queue.addOperation { Thread.sleep(forTimeInterval: 0.1) } }
        queue.addOperation { raise() }
      },
      EventSource("pipe that a thread reads") { raise in
        let pipe = Pipe()
        Thread.detachNewThread {
          _ = pipe.fileHandleForReading.availableData
          raise()
        }
        Thread.detachNewThread {
          // real time: goes on outside simulations
          Thread.sleep(forTimeInterval: 0.4)
          try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        }
      },
      EventSource("full pool of threads") { raise in
        // The block gets a thread when libdispatch has seen for a second that all others are blocked.
        let count = ProcessInfo.processInfo.activeProcessorCount
        let semaphore = DispatchSemaphore(value: 0)
        for _ in 0..<count { DispatchQueue.global().async { semaphore.wait() } }
        DispatchQueue.global().async {
          raise()
          for _ in 0..<count { semaphore.signal() }
        }
      },
      // Foundation's threads for child processes remain, so it is the last.
      EventSource("child process") { raise in
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "sleep 0.4"]
        process.terminationHandler = { _ in raise() }
        try? process.run()
      },
    ]
  }
#endif
