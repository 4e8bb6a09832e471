#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Measures whether the machine gives this process the processor time that it asks for.
///
/// A timer that fires in time does not show that, because the kernel wakes a sleeping thread at once on a
/// busy machine too. Meanwhile a computing thread waits for its turn: beside fifty others, for a tenth of a
/// second and more. So this type asks the kernel how long the process ran, and how long its threads could
/// have run but waited for a core (`/proc/self/task/*/schedstat`; Linux,
/// Documentation/scheduler/sched-stats).
///
/// A reading takes some twenty microseconds for each thread. On systems other than Linux there is never a
/// shortage, and a process is never busy.
package struct CPUContention: Sendable {
  private var latest: Reading?

  package init() {}

  /// Whether the process got less than half of what its threads asked for since the last measurement; false the
  /// first time.
  package mutating func wasShort() -> Bool { demand().wasShort }

  /// The same, and whether the process was busy: its threads asked for more than half of a core.
  mutating func demand(at now: Reading = .now()) -> (wasShort: Bool, wasBusy: Bool) {
    defer { latest = now }
    return latest.map { (now.isShort(since: $0), now.isBusy(since: $0)) } ?? (false, false)
  }

  /// The kernel's counts at one instant.
  package struct Reading: Sendable {
    package struct Thread: Equatable, Sendable {
      /// How long the thread has run, and has waited for a core.
      package var ran, waited: Duration
      /// Whether it runs or waits for a core.
      package var isRunnable: Bool

      package init(ran: Duration, waited: Duration, isRunnable: Bool) {
        (self.ran, self.waited, self.isRunnable) = (ran, waited, isRunnable)
      }
    }

    package var instant: Duration
    /// How long the threads ran, ended ones included.
    package var ran: Duration
    /// The threads that have not ended, by number.
    package var threads: [CInt: Thread]

    package init(instant: Duration, ran: Duration, threads: [CInt: Thread]) {
      (self.instant, self.ran, self.threads) = (instant, ran, threads)
    }

    package func isShort(since before: Reading, cores: Int = Self.cores) -> Bool {
      let (time, ran) = (instant - before.instant, ran - before.ran)
      let waited = waited(since: before)
      // No process can ask for more than all cores, and short waits are normal after waking.
      return waited * 2 > time && ran * 2 < min(ran + waited, time * cores)
    }

    package func isBusy(since before: Reading) -> Bool {
      (ran - before.ran + waited(since: before)) * 2 > instant - before.instant
    }

    /// Whether a thread could have run, but has waited for a core all the time.
    func lacksCore(since before: Reading) -> Bool {
      threads.contains { number, thread in
        thread.isRunnable && thread == before.threads[number]
      }
    }

    /// How long the threads have waited, added up.
    private func waited(since before: Reading) -> Duration {
      let time = instant - before.instant
      return threads.reduce(.zero) { sum, thread in
        let (number, now) = thread
        // The kernel counts a wait when it is over. A thread whose counts have not changed, and that is
        // runnable, has waited all the time.
        if now == before.threads[number] { return now.isRunnable ? sum + time : sum }
        return sum + min(now.waited - (before.threads[number]?.waited ?? .zero), time)
      }
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  extension CPUContention.Reading {
    package static let cores = sysconf(CInt(_SC_NPROCESSORS_ONLN))

    /// The latest reading that is shared, and the processor time that it took.
    private static let shared = Locked<(reading: Self, cost: Duration)?>(nil)

    /// A reading that is no older than `age`. Callers share one for ten times the processor time that it took, or for
    /// `age` if that is shorter. If it is not, readings use a tenth of a core at most, however many callers ask.
    package static func recent(within age: Duration) -> Self {
      shared.withLock { shared in
        if let (reading, cost) = shared, uptime - reading.instant < min(age, cost * 10) {
          return reading
        }
        let start = time(of: CLOCK_THREAD_CPUTIME_ID)
        let reading = now()
        shared = (reading, time(of: CLOCK_THREAD_CPUTIME_ID) - start)
        return reading
      }
    }

    package static func now() -> Self {
      var threads: [CInt: Thread] = [:]
      for number in threadNumbers { threads[number] = Thread(number) }
      return Self(instant: uptime, ran: time(of: CLOCK_PROCESS_CPUTIME_ID), threads: threads)
    }

    /// The kernel's numbers of the process's threads.
    static var threadNumbers: [CInt] {
      var numbers: [CInt] = []
      let folder = opendir("/proc/self/task")
      defer { folder.map { _ = closedir($0) } }
      while let entry = folder.flatMap(readdir) {
        let number = withUnsafeBytes(of: &entry.pointee.d_name) { name in
          atoi(name.baseAddress!.assumingMemoryBound(to: CChar.self))
        }
        // The folder itself and its parent have names without a number.
        if number > 0 { numbers.append(number) }
      }
      return numbers
    }

    /// Real time, also where the standard library's clocks show a simulation's.
    static var uptime: Duration { time(of: CLOCK_MONOTONIC) }

    private static func time(of clock: clockid_t) -> Duration {
      var time = timespec()
      outsideSimulations { _ = clock_gettime(clock, &time) }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }

  extension CPUContention.Reading.Thread {
    /// Nil for a thread that has ended.
    init?(_ number: CInt) {
      // The state is the letter after the name, which is in brackets and may hold any characters.
      let stat = Self.text("/proc/self/task/\(number)/stat")
      // How long it ran and waited, in nanoseconds, and how often.
      let numbers = Self.text("/proc/self/task/\(number)/schedstat").split(separator: " ")
      guard let bracket = stat.utf8.lastIndex(of: UInt8(ascii: ")")), numbers.count == 3,
        let ran = Int64(numbers[0]), let waited = Int64(numbers[1])
      else { return nil }
      self.init(
        ran: .nanoseconds(ran), waited: .nanoseconds(waited),
        isRunnable: stat.utf8[bracket...].starts(with: ") R".utf8))
    }

    /// Whether a thread waits for a lock, a condition or a semaphore: for what a thread of the process
    /// releases. True as well if the kernel does not show that.
    static func waitsForLock(_ number: CInt) -> Bool {
      // The first word is the number of the system call.
      let call = Self.text("/proc/self/task/\(number)/syscall").prefix { $0 != " " }
      return Int(call).map { $0 == Self.futex } ?? true
    }

    /// Whether a thread waits so, and for as long as it takes. False if the kernel does not show that.
    static func waitsForLockWithoutLimit(_ number: CInt) -> Bool {
      // Then its arguments: an address, the operation, a value, and the address of the limit.
      let words = Self.text("/proc/self/task/\(number)/syscall").split(separator: " ")
      return words.count > 4 && Int(words[0]) == Self.futex && words[4] == "0x0"
    }

    /// The number of the system call that all these end in. The C library's header gives it to C only.
    #if arch(x86_64)
      private static let futex = 202
    #else
      private static let futex = 98
    #endif

    /// The first 128 bytes of a file, or nothing.
    private static func text(_ path: String) -> String {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { return "" }
      defer { close(file) }
      return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { text in
        let count = read(file, text.baseAddress!, text.count)
        return String(decoding: text[..<max(0, count)], as: UTF8.self)
      }
    }
  }
#else
  extension CPUContention.Reading {
    package static let cores = 1

    package static func now() -> Self { Self(instant: .zero, ran: .zero, threads: [:]) }

    package static func recent(within age: Duration) -> Self { now() }
  }

  extension CPUContention.Reading.Thread {
    init?(_ number: CInt) { return nil }

    static func waitsForLock(_ number: CInt) -> Bool { true }
  }
#endif

extension CPUContention {
  /// Whether the main thread waits for a lock for as long as it takes. False if the kernel does not show that.
  static var mainThreadWaitsForLock: Bool {
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
      // The kernel gives it the number of the process.
      Reading.Thread.waitsForLockWithoutLimit(getpid())
    #else
      false
    #endif
  }
}
