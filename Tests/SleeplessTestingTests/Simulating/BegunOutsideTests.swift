// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  import Glibc
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

    @Test func `a simulation that does not come to its end lists work begun outside`() async {
      let kept = Outside()
      let isOver = Locked(false)
      let failures = await failures {
        try? await simulate(stepLimit: 1_000) {
          try await Task.sleep(for: .seconds(3))
          kept.listen()
          kept.call()
          // The loop goes on in real time when the simulation has been given up.
          while !isOver.withLock({ $0 }) { await Task.yield() }
        }
      }
      isOver.withLock { $0 = true }
      kept.end()
      #expect(failures.count == 2)
      #expect(failures.first?.text.contains("1000 steps") == true)
      #expect(failures.last?.withoutFunctions.text == FailureText.workBegunOutside)
    }

    @Test func `an exploration that fails lists work begun outside`() async {
      let kept = Outside()
      let failures = await failures {
        _ = try? await explore(schedules: 2) {
          try await Task.sleep(for: .seconds(3))
          kept.listen()
          kept.call()
          throw Failed()
        }
      }
      kept.end()
      #expect(failures.map(\.withoutFunctions.text).contains(FailureText.workBegunOutside))
    }

    @Test func `exploreCancellation lists work begun outside when the code fails`() async {
      let kept = Outside()
      let failures = await failures {
        _ = try? await exploreCancellation {
          try? await Task.sleep(for: .seconds(3))
          kept.listen()
          kept.call()
          #expect(!Task.isCancelled)
        }
      }
      kept.end()
      #expect(failures.map(\.withoutFunctions.text).contains { $0.contains("a network call") })
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

    @Test func `a test that fails names a timer of a run loop that stays real`() async {
      let kept = Outside()
      let failures = await failures {
        try? await simulate(dispatch: .outside) {
          try await Task.sleep(for: .seconds(3))
          kept.startTimer()
          throw Failed()
        }
      }
      kept.end()
      let listed = failures.last?.withoutFunctions.text.split(separator: "\n")
      #expect(failures.count == 1)
      #expect(listed?.dropFirst().dropLast() == ["  a timer of a run loop, begun at 3 s"])
    }

    @Test(arguments: [
      (UnfollowedQueue.named, "queue com.example.workloop"), (.nameless, "a queue"),
      (.targeting, "queue com.example.targeting"),
    ])
    func `a test that fails names the queue of a block that is not followed`(
      queue: UnfollowedQueue, name: String
    ) async {
      let hasRun = ThreadSignal()
      let failures = await failures {
        try? await simulate {
          try await Task.sleep(for: .seconds(3))
          queue.run { hasRun.send() }
          hasRun.wait()
          throw Failed()
        }
      }
      let listed = failures.last?.withoutFunctions.text.split(separator: "\n")
      #expect(failures.count == 1)
      #expect(
        listed?.dropFirst().dropLast() == [
          "  a block on \(name), which the simulation does not follow, begun at 3 s"
        ])
    }

    @Test(arguments: [
      (OutsideAnswer.fileHandle, "a source of Dispatch for a descriptor or a signal"),
      (.channel, "a call of DispatchIO"),
      (.wholeRead, "a call of DispatchIO"),
      (.writeSource, "a source of Dispatch for a descriptor or a signal"),
      (.dataSource, "a source of Dispatch for data"),
      (.thread, "a thread"), (.threadOfC, "a thread"), (.childProcess, "a child process"),
    ])
    func `a test that fails names what still answers`(answer: OutsideAnswer, name: String) async {
      await OutsideAnswer.prepareChildProcesses()
      let failures = await failures {
        try? await simulate {
          let hasAnswered = ThreadSignal()
          answer.begin { _ in hasAnswered.send() }
          hasAnswered.wait()
          throw Failed()
        }
      }
      #expect(failures.count == 1)
      var listed = failures.first?.withoutFunctions.text.split(separator: "\n").map(String.init)
      // Foundation makes a thread that waits for each child process.
      if answer == .childProcess { listed?.removeAll { $0 == "  a thread, begun at 0 s" } }
      #expect(listed?.dropFirst().first == "  \(name), begun at 0 s")
      #expect(listed?.count == 3)
    }

    @Test(arguments: ["posix_spawn", "posix_spawnp", "popen", "system", "fork"])
    func `a test that fails names a child process of C`(function: String) async {
      let failures = await failures {
        try? await simulate {
          try await Task.sleep(for: .seconds(60))
          runChild(by: function)
          throw Failed()
        }
      }
      let listed = failures.first?.withoutFunctions.text.split(separator: "\n")
      #expect(failures.count == 1)
      #expect(listed?.dropFirst().first == "  a child process, begun at 60 s")
      #expect(listed?.count == 3)
      #if DEBUG  // in release, the innermost function may be missing
        let place = ", in runChild(by:) at BegunOutsideTests.swift"
        #expect(failures.first?.text.contains(place) == true)
      #endif
    }

    @Test(arguments: SignalCall.allCases)
    func `a test that fails names signal handlers and timers of the system`(call: SignalCall) async
    {
      let failures = await failures {
        try? await simulate {
          call.begin()
          call.end()
          throw Failed()
        }
      }
      #expect(failures.count == 1)
      let listed = failures.first?.withoutFunctions.text.split(separator: "\n")
      #expect(listed?.dropFirst().dropLast() == ["  \(call.name)"])
      #if DEBUG  // in release, the function may be missing
        let place = "  \(call.name), in "
        #expect(failures.first?.text.contains(place) == true)
      #endif
    }

    // ThreadSanitizer's `signal` calls `sigaction`.
    @Test(arguments: SignalCall.allCases)
    func `one call for a signal handler or timer is listed once`(call: SignalCall) async {
      let outcome = await Simulation.run {
        call.begin()
        call.end()
      }
      #expect(outcome.report.begunOutside.count == 1)
    }

    @Test(arguments: SignalCall.allCases)
    func `removing or reading a signal handler or timer is not listed`(call: SignalCall) async {
      let outcome = await Simulation.run {
        call.end()
        call.ask()
      }
      #expect(outcome.report.begunOutside.isEmpty)
    }

    // In a process of its own, because `timer_create` changes waits in the whole process.
    @Test(.oneProcess) func `a call of timer_settime in a simulation starts the real timer`() async
    {
      await #expect(processExitsWith: .success) {
        let outcome = await Simulation.run {
          var event = sigevent()
          event.sigev_notify = CInt(SIGEV_NONE)
          var timer: timer_t?
          #expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
          var time = itimerspec()
          time.it_value.tv_sec = 1_000
          #expect(timer_settime(timer, 0, &time, nil) == 0)
          var left = itimerspec()
          #expect(timer_gettime(timer, &left) == 0 && (1...1_000).contains(left.it_value.tv_sec))
          timer_delete(timer)
        }
        #expect(outcome.report.begunOutside.count == 1)
      }
    }

    @Test func `a call that is made again from the same place is listed once`() async {
      let outcome = await Simulation.run {
        for _ in 1...5 { _ = replacesHandler() }
        signal(SIGPWR) { _ in }
        signal(SIGPWR, SIG_DFL)
      }
      #expect(outcome.report.begunOutside.count == 2)
    }

    /// Whether there was a handler already; now there is one. Not inlined, because the optimizer may repeat the code of a
    /// loop, and each copy is a place.
    @inline(never) private func replacesHandler() -> Bool { signal(SIGPWR) { _ in } != nil }

    @Test func `a handler that code outside installs in a shared actor is not listed`() async {
      let handlers = Handlers()
      let (isInActor, isQueued) = (ThreadSignal(), ThreadSignal())
      let threads = Log<UInt>()
      let outside = Log<Task<Void, Never>>()
      startThread {
        isInActor.wait()
        // When `Task.immediate` returns, its job waits in the actor's queue, because the simulation's job is in the
        // actor.
        outside.append(
          Task.immediate {
            await handlers.use {
              threads.append(UInt(pthread_self()))
              signal(SIGPWR) { _ in }
            }
          })
        isQueued.send()
      }
      let outcome = await Simulation.run {
        await handlers.use {
          threads.append(UInt(pthread_self()))
          isInActor.send()
          isQueued.wait()
        }
      }
      for task in outside.values { await task.value }
      signal(SIGPWR, SIG_DFL)
      #expect(outcome.report.begunOutside.isEmpty)
      // If the code outside ran on another thread, this test would prove nothing.
      #expect(threads.values.count == 2 && Set(threads.values).count == 1)
    }

    @Test func `a handler that the simulation's code installs in an actor is listed`() async {
      let handlers = Handlers()
      let outcome = await Simulation.run {
        await handlers.use { signal(SIGPWR) { _ in } }
        signal(SIGPWR, SIG_DFL)
      }
      #expect(outcome.report.begunOutside.count == 1)
    }

    @Test func `of the calls from many places four are listed`() async {
      let outcome = await Simulation.run {
        for _ in 1...2 {
          signal(SIGPWR) { _ in }
          signal(SIGPWR) { _ in }
          signal(SIGPWR) { _ in }
          signal(SIGPWR) { _ in }
          signal(SIGPWR) { _ in }
        }
        signal(SIGPWR, SIG_DFL)
      }
      #expect(outcome.report.begunOutside.count == 4)
    }

    @Test func `a test that fails says which task was resumed from outside, and what was begun`()
      async
    {
      let failures = await failures {
        try? await simulate {
          let answers = Log<CheckedContinuation<Void, Never>>()
          let request = Task(name: "request") {
            await withCheckedContinuation { answers.append($0) }
          }
          try await Task.sleep(for: .seconds(10))
          let hasAnswered = ThreadSignal()
          OutsideAnswer.fileHandle.begin { _ in
            answers.values[0].resume()
            hasAnswered.send()
          }
          hasAnswered.wait()
          await request.value
          throw Failed()
        }
      }
      #expect(
        failures.map(\.withoutFunctions.text) == [
          """
          Once a task was resumed from outside the simulation:
            task 1 "request": suspended from 0 s to 10 s
          The simulation does not control when that happens, so another run may differ, and virtual time did \
          not wait for it. This is usually a network call or a thread of the code's own. Inject a double there, or \
          run the call in Simulation.outside { ... }, which stops virtual time until it returns.
          """,
          """
          The code has begun work that the simulation does not control, and that may still go on:
            a source of Dispatch for a descriptor or a signal, begun at 10 s
          Virtual time does not wait for it, so the failure may follow from that. Use a double there, or run the call \
          in Simulation.outside { ... }, which stops virtual time until it returns.
          """,
        ])
    }

    private struct Failed: Error {}
  }

  private actor Handlers {
    func use(_ code: @Sendable () -> Void) { code() }
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

    func startTimer() {
      nonisolated(unsafe) let timer = Timer(timeInterval: 1_000, repeats: false) { _ in }
      // In a mode of its own: another test's simulation may soon run the run loop of this thread.
      RunLoop.current.add(timer, forMode: RunLoop.Mode("com.example.mode"))
      ends.withLock { $0.append { timer.invalidate() } }
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

  /// A workloop, or a queue that targets one. Simulations do not follow these, and on Linux only C makes them.
  enum UnfollowedQueue {
    case named, nameless, targeting

    func run(_ block: @convention(block) () -> Void) {
      let workloop = makeWorkloop(self == .nameless ? "" : "com.example.workloop")
      guard self == .targeting else { return submit(workloop, block) }
      let queue = makeQueue("com.example.targeting", nil)
      setTarget(queue, workloop)
      submit(queue, block)
    }
  }

  @_silgen_name("dispatch_workloop_create")
  private func makeWorkloop(_ label: UnsafePointer<CChar>) -> OpaquePointer

  @_silgen_name("dispatch_queue_create")
  private func makeQueue(
    _ label: UnsafePointer<CChar>, _ attributes: OpaquePointer?
  ) -> OpaquePointer

  @_silgen_name("dispatch_set_target_queue")
  private func setTarget(_ queue: OpaquePointer, _ target: OpaquePointer)

  @_silgen_name("dispatch_async")
  private func submit(_ queue: OpaquePointer, _ block: @convention(block) () -> Void)

  /// Runs a child process that ends at once, and waits for its end.
  private func runChild(by function: String) {
    let arguments = [strdup("true"), nil]
    defer { free(arguments[0]) }
    var child = pid_t()
    switch function {
    case "posix_spawn": posix_spawn(&child, "/bin/true", nil, nil, arguments, environ)
    case "posix_spawnp": posix_spawnp(&child, "true", nil, nil, arguments, environ)
    case "popen": pclose(popen("true", "r"))
    case "system": system("true")
    default:
      // Swift does not show this function. The child must call nothing else.
      child = fork()
      if child == 0 { _exit(0) }
    }
    if child != 0 { waitpid(child, nil, 0) }
  }

  /// A function of C by which a program asks for signals. Each case has its own signal, because cases run side by side.
  enum SignalCall: String, CaseIterable {
    case signal, sigaction, alarm, setitimer
    // `set` names a timer that does not exist. After a real `timer_create`, waits outside simulations would not fail
    // early any more in this process.
    case timerSettime = "timer_settime"

    var name: String {
      switch self {
      case .signal, .sigaction: "a signal handler"
      case .alarm, .setitimer, .timerSettime: "a timer of the operating system"
      }
    }

    /// Installs a handler, or starts a timer of 1,000 s.
    func begin() {
      switch self {
      case .signal: _ = Glibc.signal(SIGURG) { _ in }
      case .sigaction: setAction(of: SIGIO) { _ in }
      case .alarm: Glibc.alarm(1_000)
      case .setitimer: set(seconds: 1_000)
      case .timerSettime: set(seconds: 1_000, nanoseconds: 1)
      }
    }

    /// Restores what there was before.
    func end() {
      switch self {
      case .signal: _ = Glibc.signal(SIGURG, SIG_DFL)
      case .sigaction:
        setAction(of: SIGIO, SIG_IGN)
        setAction(of: SIGIO, SIG_DFL)
      case .alarm: Glibc.alarm(0)
      case .setitimer, .timerSettime: set(seconds: 0)
      }
    }

    /// Asks for the state, where the function can.
    func ask() {
      if self == .sigaction { askForAction(of: SIGIO) }
    }

    private func set(seconds: Int, nanoseconds: Int = 0) {
      if self == .setitimer {
        var time = itimerval()
        time.it_value.tv_sec = seconds
        Glibc.setitimer(__itimer_which_t(ITIMER_VIRTUAL.rawValue), &time, nil)
      } else {
        var time = itimerspec()
        time.it_value = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        timer_settime(timer_t(bitPattern: Int(Int32.max)), 0, &time, nil)
      }
    }
  }

  private func setAction(of signal: CInt, _ handler: __sighandler_t?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigaction(signal, &action, nil)
  }

  private func askForAction(of signal: CInt) {
    var action = sigaction()
    sigaction(signal, nil, &action)
  }

  @_silgen_name("fork") private func fork() -> pid_t
#endif
