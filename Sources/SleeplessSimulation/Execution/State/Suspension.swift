import CRuntimeHooks
import Sleepless

/// The state of a task at one moment. The names of its functions are looked up later, if at all.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct Suspension {
  let entry: TaskTable.Entry
  let state: Simulation.TaskReport.State
  let frames: [UInt]
  var blocksThread = false

  var report: Simulation.TaskReport {
    Simulation.TaskReport(
      number: entry.number, name: entry.name, state: state, since: entry.awake.duration,
      frames: frames, initializer: entry.initializer, blocksThread: blocksThread, steps: entry.steps
    )
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// The present state of a task; nil if the task is not the simulation's.
  func suspension(of task: TaskPointer) -> Suspension? {
    tasks[task].map { suspension(of: $0, isReady: false) }
  }

  /// All tasks that have not ended, in the order of creation.
  var suspensions: [Suspension] {
    if tasks.isEmpty { return [] }
    // While a job blocks its thread, the first job in a line may have to wait for that.
    let inLine = blocked.isAnyPlace ? [] : actorWaitQueues.tasks
    let ready = Set(ready.tasks + inLine)
    return tasks.unfinished.map { suspension(of: $0, isReady: ready.contains($0.task)) }
  }

  private func suspension(of entry: TaskTable.Entry, isReady: Bool) -> Suspension {
    let state: Simulation.TaskReport.State
    var isRunning = entry.task == running.task || entry.task == heldTask
    if let thread = blocked[entry.task], !isRunning {
      let state: Simulation.TaskReport.State =
        if isReady { .ready } else { thread.state }
      return Suspension(entry: entry, state: state, frames: thread.frames, blocksThread: true)
    }
    if isRunning, case .waitingForMainActor = driver {
      isRunning = false
      state = .waiting("the main actor")
    } else if isRunning {
      state = .running
    } else if isReady {
      state = .ready
    } else if let sleep = entry.sleep {
      state = .sleeping(until: sleep.until.duration)
    } else {
      state = entry.reason.map { .waiting($0) } ?? .suspended
    }
    // The frames of a running task are on a stack, not in its memory.
    return Suspension(
      entry: entry, state: state, frames: isRunning ? [] : suspendedFrames(of: entry.task))
  }
}

/// The functions that a suspended task will return through, innermost first.
func suspendedFrames(of task: TaskPointer) -> [UInt] {
  var frames = [UnsafeRawPointer?](repeating: nil, count: 32)
  let count = sleepless_suspended_frames(task.address, &frames, CInt(frames.count))
  return frames.prefix(Int(count)).map { UInt(bitPattern: $0) }
}
