/// What a drive has run, in order.
///
/// It does not hold the items: each is freed as soon as it has run, while it is in the cache.
/// Freed together at the end, a million of them took more time than scheduling and running them.
/// Work that was scheduled on one line shares a source, so a piece of it is 24 bytes here, without
/// a reference to count.
package struct WorkLog: RandomAccessCollection, Sendable {
  private struct Entry {
    let instant: Instant
    let source: Int
  }

  private var entries: ContiguousArray<Entry> = []
  private var sources: ContiguousArray<WorkRecord.Source> = []
  /// The latest entry's source.
  private var current = 0

  init() {}

  package init(_ records: some Sequence<WorkRecord>) {
    for record in records {
      if !isCurrent(record.source) { find(record.source) }
      entries.append(Entry(instant: record.instant, source: current))
    }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  package subscript(position: Int) -> WorkRecord {
    let entry = entries[position]
    return WorkRecord(sources[entry.source], at: entry.instant)
  }

  @inline(__always)
  mutating func append(_ item: ScheduledItem, at instant: Instant) {
    if current == sources.count || !sources[current].isSource(of: item) {
      find(WorkRecord.Source(item))
    }
    entries.append(Entry(instant: instant, source: current))
  }

  private func isCurrent(_ source: WorkRecord.Source) -> Bool {
    current < sources.count && sources[current] == source
  }

  /// Makes a source the current one. Looks among a few, so that work from several lines by turns
  /// finds its own, and work from ever new ones does not search for long.
  @inline(never)
  private mutating func find(_ source: WorkRecord.Source) {
    if let index = sources.indices.suffix(8).last(where: { sources[$0] == source }) {
      current = index
    } else {
      current = sources.count
      sources.append(source)
    }
  }
}
