#if os(Linux)
  import Dispatch
  import Foundation
  import SleeplessSimulation

  /// A call that blocks its thread until code outside releases it, and that no simulation follows.
  enum UnfollowedWait: String, CaseIterable, Sendable {
    case semaphoreOfC = "sem_wait"
    case timedSemaphoreOfC = "sem_timedwait"
    case endOfThread = "pthread_join"
    case condition = "pthread_cond_clockwait"
    case mutex = "pthread_mutex_lock"
    case lock = "NSLock.lock()"
    case descriptors = "select"
    case poll = "poll"
    case read = "read"
    case endOfChild = "waitpid"
    case endOfProcess = "Process.waitUntilExit()"
    case realQueue = "dispatch_sync_f"

    /// Makes what is waited for.
    func prepare() -> Prepared {
      switch self {
      case .semaphoreOfC: Self.semaphore { sem_wait($0) }
      case .timedSemaphoreOfC:
        Self.semaphore { semaphore in
          // A date of the real clock: in some centuries.
          var date = timespec(tv_sec: 10_000_000_000, tv_nsec: 0)
          sem_timedwait(semaphore, &date)
        }
      case .endOfThread: Self.thread()
      case .condition: Self.clockCondition()
      case .mutex: Self.lockedMutex()
      case .lock: Self.heldLock()
      case .descriptors:
        Self.pipe { descriptor in
          var descriptors = fd_set()
          withUnsafeMutableBytes(of: &descriptors) { bytes in
            bytes[Int(descriptor) / 8] |= 1 << (UInt8(descriptor) % 8)
          }
          select(descriptor + 1, &descriptors, nil, nil, nil)
        }
      case .poll:
        Self.pipe { descriptor in
          var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          Glibc.poll(&polled, 1, -1)
        }
      case .read:
        Self.pipe { descriptor in
          var byte: UInt8 = 0
          _ = Glibc.read(descriptor, &byte, 1)
        }
      case .endOfChild: Self.child()
      case .endOfProcess: Self.process()
      case .realQueue: Self.heldQueue()
      }
    }

    struct Prepared: Sendable {
      /// Waits, in real time.
      let wait: @Sendable () -> Void
      /// Lets the waiting thread go on.
      let release: @Sendable () -> Void
    }

    private static func semaphore(
      _ wait: @escaping @Sendable (UnsafeMutablePointer<sem_t>) -> Void
    ) -> Prepared {
      nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
      sem_init(semaphore, 0, 0)
      return Prepared(wait: { wait(semaphore) }, release: { sem_post(semaphore) })
    }

    /// A thread that ends when it is released.
    private static func thread() -> Prepared {
      let mayEnd = ThreadSignal()
      let ends: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        Unmanaged<ThreadSignal>.fromOpaque($0!).takeRetainedValue().wait()
        return nil
      }
      var thread = pthread_t()
      pthread_create(&thread, nil, ends, Unmanaged.passRetained(mayEnd).toOpaque())
      let number = thread
      return Prepared(wait: { pthread_join(number, nil) }, release: { mayEnd.send() })
    }

    private static func clockCondition() -> Prepared {
      nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
      nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      nonisolated(unsafe) let isOver = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
      pthread_cond_init(condition, nil)
      pthread_mutex_init(mutex, nil)
      isOver.initialize(to: false)  // under the mutex
      return Prepared(
        wait: {
          var date = timespec(tv_sec: 10_000_000_000, tv_nsec: 0)
          pthread_mutex_lock(mutex)
          while !isOver.pointee { waitForCondition(condition, mutex, CLOCK_MONOTONIC, &date) }
          pthread_mutex_unlock(mutex)
        },
        release: {
          pthread_mutex_lock(mutex)
          isOver.pointee = true
          pthread_cond_signal(condition)
          pthread_mutex_unlock(mutex)
        })
    }

    private static func lockedMutex() -> Prepared {
      nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
      return held(by: { pthread_mutex_lock(mutex) }, until: { pthread_mutex_unlock(mutex) })
    }

    private static func heldLock() -> Prepared {
      let lock = NSLock()
      return held(by: { lock.lock() }, until: { lock.unlock() })
    }

    /// A lock that a thread has until it is released. Only that thread may unlock it.
    private static func held(
      by lock: @escaping @Sendable () -> Void, until unlock: @escaping @Sendable () -> Void
    ) -> Prepared {
      let (isHeld, mayEnd) = (ThreadSignal(), ThreadSignal())
      Thread.detachNewThread {
        lock()
        isHeld.send()
        mayEnd.wait()
        unlock()
      }
      isHeld.wait()
      return Prepared(
        wait: {
          lock()
          unlock()
        }, release: { mayEnd.send() })
    }

    private static func pipe(_ wait: @escaping @Sendable (Int32) -> Void) -> Prepared {
      let pipe = Pipe()
      return Prepared(
        wait: { wait(pipe.fileHandleForReading.fileDescriptor) },
        release: { pipe.fileHandleForWriting.write(Data("a".utf8)) })
    }

    /// A child process that ends when its input does.
    private static func child() -> Prepared {
      let input = Pipe()
      // A child must not have the pipe's other end.
      for handle in [input.fileHandleForReading, input.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      posix_spawn_file_actions_adddup2(&actions, input.fileHandleForReading.fileDescriptor, 0)
      let arguments = [strdup("cat"), nil]
      defer { free(arguments[0]) }
      var child = pid_t()
      posix_spawn(&child, "/bin/cat", &actions, nil, arguments, environ)
      posix_spawn_file_actions_destroy(&actions)
      let number = child
      return Prepared(
        wait: { waitpid(number, nil, 0) },
        release: { try? input.fileHandleForWriting.close() })
    }

    private static func process() -> Prepared {
      let input = Pipe()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/cat")
      process.standardInput = input
      try! process.run()
      return Prepared(
        wait: { process.waitUntilExit() },
        release: { try? input.fileHandleForWriting.close() })
    }

    /// A queue on which a block outside runs until it is released.
    private static func heldQueue() -> Prepared {
      let (isHeld, mayEnd) = (ThreadSignal(), ThreadSignal())
      let queue = DispatchQueue(label: "com.example.held")
      outsideSimulations {
        queue.async {
          isHeld.send()
          mayEnd.wait()
        }
      }
      isHeld.wait()
      return Prepared(wait: { sync(queue.object, nil) { _ in } }, release: { mayEnd.send() })
    }
  }

  @_silgen_name("dispatch_sync_f")
  private func sync(
    _ queue: OpaquePointer, _ argument: OpaquePointer?,
    _ function: @convention(c) (OpaquePointer?) -> Void)

  @_silgen_name("pthread_cond_clockwait") @discardableResult
  private func waitForCondition(
    _ condition: UnsafeMutablePointer<pthread_cond_t>,
    _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
    _ clock: clockid_t, _ date: UnsafePointer<timespec>
  ) -> Int32
#endif
