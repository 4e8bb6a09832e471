import CSleepless
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

  init(_ entry: TaskLedger.Entry) {
    address = UInt(bitPattern: entry.task.address)
    number = entry.number
    name = entry.name
  }

  /// The functions that it is suspended in, innermost first. Call it only while nobody else walks the
  /// heap; meaningless if the task runs.
  package var functions: [String] {
    var frames = [UnsafeRawPointer?](repeating: nil, count: 32)
    let task = UnsafeMutableRawPointer(bitPattern: address)
    let count = sleepless_copied_frames(task, &frames, CInt(frames.count))
    return FunctionNames.ofUser(at: frames.prefix(Int(count)).map { UInt(bitPattern: $0) })
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestWork {
  /// The tasks of the test that have not ended, in the order of their making.
  package var tasksInMemory: [UnfinishedTask] { startedWork?.tasksInMemory ?? [] }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// The tasks of the simulation that have not ended, in the order of their making, without its body.
  package var tasksInMemory: [UnfinishedTask] {
    executor.state.withLock { $0.tasks.unfinished.map(UnfinishedTask.init) }
      .filter { $0.number > 0 }
  }
}

/// Finds the names of variables by their addresses, as written in Swift.
package enum VariableNames {
  /// The global variable or static property at an address: `Cache.shared`; nil if none is known.
  package static func name(at address: UInt) -> String? {
    guard let (file, offset) = place(of: address) else { return nil }
    let table = tables.withLock { tables in
      if let table = tables[file] { return table }
      let table = SymbolTable(ofFile: file, .variable)
      tables[file] = table
      return table
    }
    return table.symbol(at: UInt64(offset)).flatMap(FunctionNames.readableVariable)
  }

  /// The library or program that an address belongs to.
  package static func image(at address: UInt) -> String? {
    place(of: address).map { $0.file.components(separatedBy: "/").last! }
  }

  private static let tables = Locked<[String: SymbolTable]>([:])

  private static func place(of address: UInt) -> (file: String, offset: UInt)? {
    var file: UnsafePointer<CChar>?
    var offset: UInt = 0
    var exported: UnsafePointer<CChar>?
    guard sleepless_locate(UnsafeRawPointer(bitPattern: address), &file, &offset, &exported),
      let file
    else { return nil }
    return (String(cString: file), offset)
  }
}
