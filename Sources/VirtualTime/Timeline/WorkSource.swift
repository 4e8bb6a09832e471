import Sleepless

/// The source of work: its queue, its name and its line, and how often it repeats.
///
/// All work that one call schedules shares a source, which keeps the items small: with many pending, most of
/// the time goes into fetching memory.
package final class WorkSource: @unchecked Sendable {
  // Unchecked because the variable is only used under the lock of the timeline.

  package let queue: TimelineQueue
  package let label: String?
  package let place: Place
  package let interval: Duration?
  /// How many pieces of work have this source.
  private var uses = 0

  package init(queue: TimelineQueue, label: String?, place: Place, interval: Duration? = nil) {
    self.queue = queue
    self.label = label
    self.place = place
    self.interval = interval
  }

  /// Retains the source for a piece of work. All pieces share one reference: to count one for each would take
  /// as long as enqueueing it.
  @inline(__always)
  func beginUse() -> Unmanaged<WorkSource> {
    uses += 1
    return uses == 1 ? .passRetained(self) : .passUnretained(self)
  }

  @inline(__always)
  func endUse() {
    uses -= 1
    if uses == 0 { Unmanaged.passUnretained(self).release() }
  }

  fileprivate func equals(
    queue: TimelineQueue, label: String?, place: Place, interval: Duration?
  ) -> Bool {
    self.queue === queue && self.place == place && self.label == label && self.interval == interval
  }
}

/// The sources that a timeline has used lately. With a new source for each piece of work,
/// `schedule+run 1k` takes over half as long again (`Benchmarks/compare`, release).
struct RecentWorkSources {
  /// At most eight: enough for work from several lines by turns, and fast for work that always comes from
  /// new lines.
  private var recent: ContiguousArray<WorkSource> = []
  /// The index of the latest source.
  private var current = 0

  private static let most = 8

  /// Finds the source, or makes it.
  @inline(__always)
  mutating func find(
    queue: TimelineQueue, label: String?, place: Place, interval: Duration?
  ) -> WorkSource {
    if current == recent.count
      || !recent[current].equals(queue: queue, label: label, place: place, interval: interval)
    {
      change(queue: queue, label: label, place: place, interval: interval)
    }
    return recent[current]
  }

  /// Makes another source the latest; a new one replaces the next in turn.
  @inline(never)
  private mutating func change(
    queue: TimelineQueue, label: String?, place: Place, interval: Duration?
  ) {
    let index = recent.firstIndex {
      $0.equals(queue: queue, label: label, place: place, interval: interval)
    }
    if let index { return current = index }
    let source = WorkSource(queue: queue, label: label, place: place, interval: interval)
    if recent.count < Self.most {
      current = recent.count
      recent.append(source)
    } else {
      current = (current + 1) % Self.most
      recent[current] = source
    }
  }

  /// Releases the sources. A source retains its queue, which retains the timeline, which would otherwise
  /// retain itself.
  mutating func forget() { self = RecentWorkSources() }
}

/// A file and a line in sixteen bytes, a quarter of a `CallSite`.
package struct Place: Equatable, @unchecked Sendable {
  // Unchecked because the pointer is to the constant text of a literal.
  private let start: UnsafePointer<UInt8>
  private let count: UInt32
  private let number: UInt32

  package init(_ site: CallSite) {
    start = site.fileID.utf8Start
    count = UInt32(site.fileID.utf8CodeUnitCount)
    number = UInt32(clamping: site.line)
  }

  package var fileID: String {
    String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  package var line: Int { Int(number) }
}
