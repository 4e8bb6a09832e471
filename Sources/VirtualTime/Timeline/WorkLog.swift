import Sleepless

/// The work that a drive has run, in order.
///
/// It does not keep the items: each is freed as soon as it has run, while it is in the cache. To free a
/// million of them at the end took more time than to schedule and run them. It retains a source once for
/// many pieces of work, so that a piece is 24 bytes without a reference count.
package struct WorkLog: RandomAccessCollection, Sendable {
  private struct Entry {
    let instant: Instant
    let source: Int
  }

  private var entries: ContiguousArray<Entry> = []
  private var sources: ContiguousArray<WorkSource> = []
  /// The index of the latest entry's source.
  private var current = 0

  init() {}

  package init(_ records: some Sequence<WorkRecord>) {
    for record in records { append(record.source, at: record.instant) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  package subscript(position: Int) -> WorkRecord {
    let entry = entries[position]
    return WorkRecord(sources[entry.source], at: entry.instant)
  }

  @inline(__always)
  mutating func append(_ source: WorkSource, at instant: Instant) {
    if current == sources.count || sources[current] !== source { find(source) }
    entries.append(Entry(instant: instant, source: current))
  }

  /// Makes a source the current one. Searches only the latest eight: enough for work from several lines by
  /// turns, and fast for work that always comes from new lines.
  @inline(never)
  private mutating func find(_ source: WorkSource) {
    if let index = sources.indices.suffix(8).last(where: { sources[$0] === source }) {
      current = index
    } else {
      current = sources.count
      sources.append(source)
    }
  }
}
