/// Blocks of one queue of Dispatch that have not begun and wait for the same, as failures list them. A block that has
/// a task is listed with that, and so is one for which a thread waits, unless its queue is suspended.
package struct WaitingBlocks: Sendable {
  package enum Reason: Int, Sendable {
    /// A block before them, on their queue or on a target of it, has not ended.
    case blockBefore
    /// A group is not empty.
    case group
    /// Their queue, or a target of it, is suspended or was not activated.
    case suspendedQueue
  }

  package let queueName: String
  package let reason: Reason
  package let count: Int

  /// Joins those of one queue that wait for the same. The order depends on nothing else.
  static func joined(_ blocks: [(queueName: String, reason: Reason)]) -> [WaitingBlocks] {
    var counts: [String: [Reason: Int]] = [:]
    for block in blocks { counts[block.queueName, default: [:]][block.reason, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.flatMap { name, reasons in
      reasons.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
        WaitingBlocks(queueName: name, reason: reason, count: count)
      }
    }
  }
}
