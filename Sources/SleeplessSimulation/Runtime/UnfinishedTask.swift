import CRuntimeHooks
import Foundation
import Sleepless

/// A task that had not ended, with its address, for a search of the objects that it retains.
///
/// The task may have ended since, so the memory at the address must be read with a `MemoryReader`.
package struct UnfinishedTask: Sendable {
  package let address: UInt
  /// Counted from 0 in the order of creation.
  package let number: Int
  package let name: String?

  init(_ entry: TaskTable.Entry) {
    address = UInt(bitPattern: entry.task.address)
    number = entry.number
    name = entry.name
  }

  /// The functions that it is suspended in, innermost first; meaningless if the task runs.
  package func frames(
    readingWith read: @escaping MemoryReader
  ) -> [CodeFrame] {
    var frames = [UnsafeRawPointer?](repeating: nil, count: 32)
    let task = UnsafeMutableRawPointer(bitPattern: address)
    let count = sleepless_copied_frames(task, &frames, CInt(frames.count), read)
    return CodeFrame.ofUser(at: frames.prefix(Int(count)).map { UInt(bitPattern: $0) })
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestTasks {
  /// The tasks of the test that have not ended, in the order of creation.
  package var tasksInMemory: [UnfinishedTask] { executor?.tasksInMemory ?? [] }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The tasks of the simulation that have not ended, in the order of creation, without its body.
  package var tasksInMemory: [UnfinishedTask] {
    executor.state.withLock { $0.tasks.unfinished.map(UnfinishedTask.init) }
      .filter { $0.number > 0 }
  }
}

/// Copies memory of this process to `bytes`, or returns false if it is not mapped.
package typealias MemoryReader =
  @convention(c) (
    _ address: UInt, _ bytes: UnsafeMutableRawPointer?, _ size: Int
  ) -> Bool
