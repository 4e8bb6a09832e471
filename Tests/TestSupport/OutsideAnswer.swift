#if os(Linux)
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation

  /// What code begins that no simulation controls, and that answers later.
  package enum OutsideAnswer: String, CaseIterable, Sendable {
    case channel = "a read of a channel"
    case wholeRead = "a read without a channel"
    case fileHandle = "a file handle's handler"
    case writeSource = "a source for writing"
    case dataSource = "a source for data"
    case thread = "a thread of Foundation"
    case threadOfC = "a thread of C"
    case functionOfC = "a function of C on a queue"
    case childProcess = "the end of a child process"

    /// Begins it. The answer says where the code runs that gives it.
    package func begin(_ answer: @escaping @Sendable (String) -> Void) {
      let answer = { @Sendable in answer(Simulation.current == nil ? "outside" : "inside") }
      switch self {
      case .channel: Self.readChannel(answer)
      case .wholeRead: Self.readWhole(answer)
      case .fileHandle: Self.readHandle(answer)
      case .writeSource: Self.waitToWrite(answer)
      case .dataSource: Self.send(answer)
      case .thread: Thread.detachNewThread(answer)
      case .threadOfC: Self.startThread(answer)
      case .functionOfC: Self.submitFunction(answer)
      case .childProcess: Self.runProcess(answer)
      }
    }

    /// Makes Foundation's thread for child processes, so that the first one in a simulation need not make it.
    package static func prepareChildProcesses() async {
      await withCheckedContinuation { done in runProcess { done.resume() } }
    }

    /// Reads the pipe's only byte in a channel.
    private static func readChannel(_ answer: @escaping @Sendable () -> Void) {
      let pipe = Pipe()
      let channel = DispatchIO(
        type: .stream, fileDescriptor: pipe.fileHandleForReading.fileDescriptor, queue: .global()
      ) { _ in try? pipe.fileHandleForReading.close() }
      channel.read(offset: 0, length: 1, queue: .global()) { isDone, _, _ in
        guard isDone else { return }
        channel.close()
        answer()
      }
      pipe.fileHandleForWriting.write(Data("a".utf8))
    }

    private static func readWhole(_ answer: @escaping @Sendable () -> Void) {
      let pipe = Pipe()
      let reader = pipe.fileHandleForReading
      DispatchIO.read(
        fromFileDescriptor: reader.fileDescriptor, maxLength: 1, runningHandlerOn: .global()
      ) { _, _ in
        try? reader.close()
        answer()
      }
      pipe.fileHandleForWriting.write(Data("a".utf8))
    }

    private static func readHandle(_ answer: @escaping @Sendable () -> Void) {
      let pipe = Pipe()
      pipe.fileHandleForReading.readabilityHandler = { reader in
        _ = reader.availableData
        reader.readabilityHandler = nil
        // Until now, the handler has kept the pipe.
        withExtendedLifetime(pipe) { answer() }
      }
      pipe.fileHandleForWriting.write(Data("a".utf8))
    }

    private static func waitToWrite(_ answer: @escaping @Sendable () -> Void) {
      let pipe = Pipe()
      let writer = pipe.fileHandleForWriting
      nonisolated(unsafe) let source = DispatchSource.makeWriteSource(
        fileDescriptor: writer.fileDescriptor, queue: .global())
      source.setEventHandler {
        source.cancel()
        answer()
      }
      source.setCancelHandler { try? writer.close() }
      source.activate()
    }

    private static func send(_ answer: @escaping @Sendable () -> Void) {
      nonisolated(unsafe) let source = DispatchSource.makeUserDataAddSource(queue: .global())
      source.setEventHandler {
        source.cancel()
        answer()
      }
      source.activate()
      source.add(data: 1)
    }

    // MARK: C

    /// A closure that C code has as a pointer, and calls once.
    private final class Call: Sendable {
      private let code: @Sendable () -> Void

      init(_ code: @escaping @Sendable () -> Void) { self.code = code }

      var pointer: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

      static func run(_ pointer: UnsafeMutableRawPointer?) {
        Unmanaged<Call>.fromOpaque(pointer!).takeRetainedValue().code()
      }
    }

    private static func startThread(_ answer: @escaping @Sendable () -> Void) {
      var thread = pthread_t()
      let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        Call.run($0)
        return nil
      }
      pthread_create(&thread, nil, start, Call(answer).pointer)
      pthread_detach(thread)
    }

    private static func submitFunction(_ answer: @escaping @Sendable () -> Void) {
      submit(globalQueue(0, 0), Call(answer).pointer) { Call.run($0) }
    }

    private static func runProcess(_ answer: @escaping @Sendable () -> Void) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/true")
      process.terminationHandler = { _ in answer() }
      try! process.run()
    }
  }

  @_silgen_name("dispatch_get_global_queue")
  private func globalQueue(_ identifier: Int, _ flags: UInt) -> UnsafeRawPointer

  @_silgen_name("dispatch_async_f")
  private func submit(
    _ queue: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?,
    _ function: @convention(c) (UnsafeMutableRawPointer?) -> Void)
#endif
