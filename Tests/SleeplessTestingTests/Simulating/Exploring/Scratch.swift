import Foundation
import SleeplessTesting
import Testing
actor Tally2 { private(set) var sum = 0; func add(_ n: Int) { sum += n } }
func visit2(_ a: Tally2, _ b: Tally2) async { await a.add(1); await Task.yield(); await b.add(1) }
@Suite(.serialized) struct Scratch {
  @Test func speed() async throws {
    for schedules in [1000, 1000, 1000, 20_000] {
    let start = clock()
    let w = DispatchTime.now().uptimeNanoseconds
    let e = try await explore(schedules: schedules) {
      let first = Tally2(), second = Tally2()
      await first.add(1)
      async let forth: Void = visit2(first, second)
      async let back: Void = visit2(second, first)
      _ = await (forth, back)
      await Task.yield()
      #expect(await first.sum == 3)
    }
    let rss = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
    print(e, "ms cpu", Double(clock() - start) / 1000, "wall", Double(DispatchTime.now().uptimeNanoseconds - w) / 1e6, rss ?? "")
    }
  }
}
