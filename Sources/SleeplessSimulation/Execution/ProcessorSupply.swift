#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import Sleepless

/// Whether the machine gives this process the processor time it asks for.
///
/// A timer that is in time does not tell. Whoever has slept is woken at once, however busy the machine;
/// who computes waits for a turn meanwhile, on a machine with fifty others for a tenth of a second and
/// more. So the threads are looked at: are there any that could run, and did they get anything?
///
/// Where that cannot be looked up there is always enough.
package struct ProcessorSupply: Sendable {
  private var used = Self.timeUsed

  package init() {}

  /// Whether, in the time since it was asked or made, less than half was given of what is asked for now.
  package mutating func wasShort(for time: Duration) -> Bool {
    let before = used
    used = Self.timeUsed
    return Self.isShort(
      used: used - before, of: time, runnable: Self.runnableThreads, cores: Self.cores)
  }

  package static func isShort(
    used: Duration, of time: Duration, runnable: Int, cores: Int
  ) -> Bool {
    used * 2 < time * min(runnable, cores)
  }

  /// How many threads other than the calling one run or wait for a core.
  package static var runnableThreads: Int {
    #if os(Linux)
      guard let folder = opendir("/proc/self/task") else { return 0 }
      defer { closedir(folder) }
      var count = 0
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
          String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix("."), isRunnable(name) { count += 1 }
      }
      return max(0, count - 1)
    #else
      return 0
    #endif
  }

  #if os(Linux)
    private static let cores = sysconf(CInt(_SC_NPROCESSORS_ONLN))

    /// Processor time that the process has had.
    private static var timeUsed: Duration {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Reads a thread's state, the letter after its name, which is in brackets and may hold any.
    private static func isRunnable(_ thread: String) -> Bool {
      let file = open("/proc/self/task/\(thread)/stat", O_RDONLY)
      guard file >= 0 else { return false }
      defer { close(file) }
      return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { text in
        let text = text[..<max(0, read(file, text.baseAddress!, text.count))]
        guard let bracket = text.lastIndex(of: UInt8(ascii: ")")) else { return false }
        return text.dropFirst(bracket + 2).first == UInt8(ascii: "R")
      }
    }
  #else
    private static let cores = 1
    private static var timeUsed: Duration { .zero }
  #endif
}
