import Sleepless

/// What a drive has run, in order.
///
/// It does not hold the items: each is freed as soon as it has run, while it is in the cache.
/// Freed together at the end, a million of them took more time than scheduling and running them.
/// It holds an origin once for many pieces of work, so a piece is 24 bytes here, without a reference
/// to count.
package struct WorkLog: RandomAccessCollection, Sendable {
  private struct Entry {
    let instant: Instant
    let source: Int
  }

  private var entries: ContiguousArray<Entry> = []
  private var origins: ContiguousArray<WorkSource> = []
  /// The latest entry's origin.
  private var current = 0

  init() {}

  package init(_ records: some Sequence<WorkRecord>) {
    for record in records { append(record.source, at: record.instant) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { entries.count }

  package subscript(position: Int) -> WorkRecord {
    let entry = entries[position]
    return WorkRecord(origins[entry.source], at: entry.instant)
  }

  @inline(__always)
  mutating func append(_ source: WorkSource, at instant: Instant) {
    if current == origins.count || origins[current] !== source { find(source) }
    entries.append(Entry(instant: instant, source: current))
  }

  /// Makes an origin the current one. Looks among a few, so that work from several lines by turns
  /// finds its own, and work from ever new ones does not search for long.
  @inline(never)
  private mutating func find(_ source: WorkSource) {
    if let index = origins.indices.suffix(8).last(where: { origins[$0] === source }) {
      current = index
    } else {
      current = origins.count
      origins.append(source)
    }
  }
}
