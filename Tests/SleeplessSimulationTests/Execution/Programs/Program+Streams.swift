// virtual time: everything here runs in simulations
import SleeplessSimulation
import Sleepless
import TestSupport

/// Programs that pass values from task to task.
extension Program {
  static let streams = [
    Program(
      "AsyncStream",
      runLog: ["got 1@10", "got 2@20", "got 3@30", "end@30"], hasOrders: false
    ) { runLog in
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      let reader = Task {
        for await number in stream { runLog.note("got \(number)") }
        runLog.note("end")
      }
      for number in 1...3 {
        try await Task.sleep(for: .milliseconds(10))
        source.yield(number)
      }
      source.finish()
      await reader.value
    },
    Program(
      "AsyncThrowingStream with a bound",
      runLog: ["read 2@5", "read 3@5", "failed Broken@5", "terminated@5"]
    ) { runLog in
      let terminated = Log<String>()
      let stream = AsyncThrowingStream(Int.self, bufferingPolicy: .bufferingNewest(2)) { source in
        source.onTermination = { _ in terminated.append("terminated") }
        for number in 1...3 { source.yield(number) }
        source.finish(throwing: Broken())
      }
      try await Task.sleep(for: .milliseconds(5))
      let reader = Task {
        do {
          for try await number in stream { runLog.note("read \(number)") }
        } catch { runLog.note("failed \(type(of: error))") }
      }
      let other = Task { await Task.yield() }
      await reader.value
      await other.value
      for text in terminated.values { runLog.note(text) }
    },
    Program(
      "continuations",
      runLog: ["checked 1@5", "thrown Broken@8", "unsafe 2@8"], hasOrders: false
    ) { runLog in
      let one = await withCheckedContinuation { continuation in
        Task {
          try? await Task.sleep(for: .milliseconds(5))
          continuation.resume(returning: 1)
        }
      }
      runLog.note("checked \(one)")
      do {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, _>) in
          Task {
            try? await Task.sleep(for: .milliseconds(3))
            continuation.resume(throwing: Broken())
          }
        }
      } catch { runLog.note("thrown \(type(of: error))") }
      let two = await withUnsafeContinuation { continuation in
        Task.detached { continuation.resume(returning: 2) }
      }
      runLog.note("unsafe \(two)")
    },
    Program(
      "a semaphore of continuations",
      runLog: ["1 in@0", "1 out@10", "2 in@10", "2 out@20", "3 in@20", "3 out@30"]
    ) { runLog in
      let gate = Semaphore()
      await withTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            await gate.wait()
            runLog.note("\(number) in")
            try? await Task.sleep(for: .milliseconds(10))
            runLog.note("\(number) out")
            await gate.signal()
          }
        }
      }
    },
    Program(
      "cancellation handlers",
      runLog: ["waiting@0", "handler@20", "resumed false@20", "late handler@20", "true@20"],
      hasOrders: false
    ) { runLog in
      let task = Task {
        let (stream, source) = AsyncStream.makeStream(of: Bool.self)
        return await withTaskCancellationHandler {
          runLog.note("waiting")
          for await value in stream { return value }
          return false
        } onCancel: {
          runLog.note("handler")
          source.finish()
        }
      }
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      runLog.note("resumed \(await task.value)")
      let late = Task {
        while !Task.isCancelled { await Task.yield() }
        await withTaskCancellationHandler {
        } onCancel: {
          runLog.note("late handler")
        }
        return Task.isCancelled
      }
      late.cancel()
      runLog.note("\(await late.value)")
    },
  ]

  private actor Semaphore {
    private var isFree = true
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
      if isFree {
        isFree = false
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }

    func signal() {
      if waiting.isEmpty { isFree = true } else { waiting.removeFirst().resume() }
    }
  }
}
