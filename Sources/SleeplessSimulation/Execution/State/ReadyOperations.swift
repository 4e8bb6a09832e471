import CRuntimeHooks

/// Operations of Foundation that may run because one on which they depend has ended, until all of these are known.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct ReadyOperations {
  /// The numbers of the operations' work items, by address. Operations that were added earlier have smaller ones.
  private var numbers = [UInt: Int]()
  private var lastNumber = 0
  private var kept: [(number: Int, work: QueueWork)] = []

  mutating func noteItem(_ item: UInt) {
    lastNumber += 1
    // An earlier item may have had that address.
    numbers[item] = lastNumber
  }

  /// Keeps an operation; `item` is its work item. A barrier's block is not its work item. So it has no number, and
  /// comes last.
  mutating func keep(_ work: QueueWork, item: UInt) {
    kept.append((work.isBarrier ? .max : numbers[item] ?? .max, work))
    sleepless_count_kept_operations(1)
  }

  /// Takes the operations in the order in which they were added to their queues.
  mutating func takeKept() -> [QueueWork] {
    if kept.isEmpty { return [] }
    sleepless_count_kept_operations(-CInt(kept.count))
    defer { kept = [] }
    return kept.sorted { $0.number < $1.number }.map(\.work)
  }
}
