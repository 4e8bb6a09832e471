import CRuntimeHooks
import Foundation
import Sleepless

/// A task that had not ended, and where it lies in memory, for those who look for what it holds.
///
/// It may have ended since, so what is at the address must be read with care.
package struct UnfinishedTask: Sendable {
  package let address: UInt
  /// Counted from 0 in the order of making.
  package let number: Int
  package let name: String?

  init(_ entry: TaskTable.Entry) {
    address = UInt(bitPattern: entry.task.address)
    number = entry.number
    name = entry.name
  }

  /// The functions that it is suspended in, innermost first; meaningless if the task runs. `read` copies
  /// memory, or returns false where there is none.
  package func functions(
    readingWith read: @escaping MemoryReader
  ) -> [String] {
    var frames = [UnsafeRawPointer?](repeating: nil, count: 32)
    let task = UnsafeMutableRawPointer(bitPattern: address)
    let count = sleepless_copied_frames(task, &frames, CInt(frames.count), read)
    return FunctionNames.ofUser(at: frames.prefix(Int(count)).map { UInt(bitPattern: $0) })
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestTasks {
  /// The tasks of the test that have not ended, in the order of their making.
  package var tasksInMemory: [UnfinishedTask] { executor?.tasksInMemory ?? [] }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The tasks of the simulation that have not ended, in the order of their making, without its body.
  package var tasksInMemory: [UnfinishedTask] {
    executor.state.withLock { $0.tasks.unfinished.map(UnfinishedTask.init) }
      .filter { $0.number > 0 }
  }
}

/// Copies memory of this process to a place, or returns false where there is none to read.
package typealias MemoryReader =
  @convention(c) (
    _ address: UInt, _ bytes: UnsafeMutableRawPointer?, _ size: Int
  ) -> Bool
