// virtual time: everything here runs in simulations
import Observation
import Sleepless
import SleeplessSimulation

/// Programs with task-local values and with observation.
extension Program {
  static let values = [
    Program(
      "priorities",
      runLog: [
        "low background@0", "body medium@0", "escalated high@0", "low again high@10", "end@10",
      ]
    ) { runLog in
      let low = Task(priority: .background) {
        runLog.note("low \(Task.currentPriority.name)")
        await withTaskPriorityEscalationHandler {
          try? await Task.sleep(for: .milliseconds(10))
        } onPriorityEscalated: { _, new in
          runLog.note("escalated \(new.name)")
        }
        runLog.note("low again \(Task.currentPriority.name)")
      }
      await Task.yield()
      runLog.note("body \(Task.currentPriority.name)")
      await Task(priority: .high) { await low.value }.value
      runLog.note("end")
    },
    Program(
      "task-local values",
      runLog: [
        "body none@0", "group a@0", "task a@0", "child a.let@1", "detached none@1", "end none@1",
      ], hasOrders: false
    ) { runLog in
      runLog.note("body \(Names.current)")
      await Names.$current.withValue("a") {
        await withTaskGroup { $0.addTask { runLog.note("group \(Names.current)") } }
        let task = Task {
          runLog.note("task \(Names.current)")
          await Names.$current.withValue("a.let") {
            async let child: Void = {
              try? await Task.sleep(for: .milliseconds(1))
              runLog.note("child \(Names.current)")
            }()
            await child
          }
        }
        await task.value
        await Task.detached { runLog.note("detached \(Names.current)") }.value
      }
      runLog.note("end \(Names.current)")
    },
    Program(
      "Observations",
      runLog: ["1@0", "2@10", "3@20", "done@20"]
    ) { runLog in
      let counter = await Counter()
      let watcher = Task { @MainActor in
        for await count in Observations({ counter.count }) {
          runLog.note("\(count)")
          if count == 3 { break }
        }
      }
      for _ in 1...2 {
        try await Task.sleep(for: .milliseconds(10))
        await counter.increment()
      }
      await watcher.value
      runLog.note("done")
    },
  ]

  private enum Names {
    @TaskLocal static var current = "none"
  }

  @MainActor @Observable fileprivate final class Counter {
    private(set) var count = 1

    func increment() { count += 1 }
  }
}

extension TaskPriority {
  fileprivate var name: String {
    switch self {
    case .background: "background"
    case .low: "low"
    case .medium: "medium"
    case .high: "high"
    default: "\(rawValue)"
    }
  }
}
