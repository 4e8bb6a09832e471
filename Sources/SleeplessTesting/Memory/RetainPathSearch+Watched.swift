import RetainGraph
import Sleepless

extension RetainPathSearch {
  /// Fails for the watched objects that are still alive: once for each object, however often it is watched, and
  /// once for all objects of a retain cycle.
  func judge(
    _ watched: [WatchedObject], rest: EndOfTest.Rest, failing fail: (String, WatchedObject) -> Void
  ) {
    var remaining = Self.grouped(watched)
    while let calls = remaining.first, let object = calls.first {
      remaining.removeFirst()
      let address = object.reference.address
      let holder = holder(of: address)
      let cycle = cycle(holder, through: address, among: remaining.map { $0[0].reference.address })
      // The object may have been released during the search, which takes a while.
      guard !object.reference.isGone else { continue }
      let others = remaining.filter { cycle.contains($0[0].reference.address) }
      remaining.removeAll { cycle.contains($0[0].reference.address) }
      let text = text(about: object.name, held: holder, rest: rest)
      fail(
        text + Self.text(of: calls) + Self.text(of: others.map { $0[0] }, besides: object), object)
    }
  }

  /// The calls that watch each object, in the order of the first ones.
  private static func grouped(_ watched: [WatchedObject]) -> [[WatchedObject]] {
    var groups: [[WatchedObject]] = []
    var numbers: [UInt: Int] = [:]
    for object in watched {
      if let number = numbers[object.reference.address] {
        groups[number].append(object)
      } else {
        numbers[object.reference.address] = groups.count
        groups.append([object])
      }
    }
    return groups
  }

  /// Says that one object is watched by several calls.
  private static func text(of calls: [WatchedObject]) -> String {
    guard calls.count > 1 else { return "" }
    let sites = unique(
      calls.dropFirst().map(\.site).filter { $0 != calls[0].site }.map(\.description))
    return "\nIt is watched \(calls.count) times\(sites.isEmpty ? "" : ", also at \(list(sites))")."
  }

  /// Names the other watched objects of a cycle.
  private static func text(of others: [WatchedObject], besides object: WatchedObject) -> String {
    guard !others.isEmpty else { return "" }
    let names = others.map { $0.site == object.site ? $0.name : "\($0.name) at \($0.site)" }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    let texts = unique(names).map { counts[$0]! == 1 ? $0 : "\(counts[$0]!) \($0)" }
    let subject =
      others.count == 1 ? "Another watched object is" : "\(others.count) other watched objects are"
    return "\n\(subject) in the same cycle: \(list(texts))."
  }

  private static func unique(_ texts: [String]) -> [String] {
    var known: Set<String> = []
    return texts.filter { known.insert($0).inserted }
  }

  private static func list(_ texts: [String]) -> String {
    let shown = texts.prefix(10).joined(separator: ", ")
    return texts.count > 10 ? "\(shown) and \(texts.count - 10) more" : shown
  }
}
