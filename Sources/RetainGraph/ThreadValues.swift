#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk
  import Foundation

  /// The values that live threads keep with `pthread_setspecific`, as roots of paths.
  struct ThreadValues {
    private let threads: [UInt: Int32]

    /// Reads the values as they are now.
    init() {
      var threads: [UInt: Int32] = [:]
      withUnsafeMutablePointer(to: &threads) { pointer in
        sleepless_each_thread_value(pointer) { context, thread, place, _ in
          context!.assumingMemoryBound(to: [UInt: Int32].self).pointee[place] = thread
        }
      }
      self.threads = threads
    }

    /// The places of the values, in the order of their addresses. Use it only within a ``HeapWalk``.
    var roots: [sleepless_root] {
      threads.keys.filter { !Self.hasDebugInformation($0) }.sorted()
        .map { sleepless_root(address: $0, size: 8) }
    }

    /// Whether a value is what the toolchain's `Runtime` has read of the program: it holds no object of the program's,
    /// but so many of its own that a search of them takes 80 ms (measured in the tests of the gallery).
    private static func hasDebugInformation(_ place: UInt) -> Bool {
      guard let value = HeapWalk.word(at: place), case .object(let type) = HeapObject(value)?.kind
      else { return false }
      return HeapObject.isDebugInformation(type)
    }

    /// The thread of the value at a place: the number that debuggers show, and the thread's name.
    func thread(at place: UInt) -> String {
      guard let thread = threads[place] else { return "a thread" }
      if thread == getpid() { return "the main thread" }
      // A new thread has the name of the thread that made it, which mostly is the program's.
      guard let name = Self.name(of: thread), name != Self.name(of: getpid()) else {
        return "thread \(thread)"
      }
      return "thread \(thread) \"\(name)\""
    }

    private static func name(of thread: Int32) -> String? {
      let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
      return name?.trimmingCharacters(in: .newlines)
    }
  }
#endif
