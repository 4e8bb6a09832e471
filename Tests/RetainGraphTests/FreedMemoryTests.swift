#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk
  import Foundation
  import RetainGraph
  import TestSupport
  import Testing

  /// Another thread may get freed memory and not have written its object there yet. An address that is left there looks
  /// like a reference.
  @Suite(.enabled(if: RetainPathSearch.obstacle == nil), .timeLimit(.minutes(10)))
  struct FreedMemoryTests {
    // In a process of its own: the searches of other tests copy the memory that has the addresses.
    @Test(.oneProcess, .disabled(if: isSanitized, "a sanitizer's memory is not read here"))
    func `a search clears the list of what it has met before it frees that`()
      async
    {
      await #expect(processExitsWith: .success) {
        let nodes = (0..<1000).map { _ in Link() }
        for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
        // Inverted, so that the test itself has few copies of them.
        let inverted = Set(nodes.map { ~UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) })
        let search = RetainPathSearch(tasks: [], areTasksAtRest: false, testCase: nil) { _ in
          RetainPathSearch.Variable(name: "", isOfSwift: false)
        }
        let first = UInt(bitPattern: Unmanaged.passUnretained(nodes[0]).toOpaque())
        // Made before the search, so that they get none of the memory that it frees.
        let regions = writableRegions
        let page = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 512)
        defer { page.deallocate() }
        let before = count(ofInverted: inverted, in: regions, reading: page)
        // Follows the references from the first node to the last one.
        #expect(search.heldForGood([first], watched: []) == [])
        let after = count(ofInverted: inverted, in: regions, reading: page)
        #expect(before >= 1000)
        #expect(after - before < 100)
      }
    }
  }

  /// How often words with these addresses are in the memory that an allocator may have.
  private func count(
    ofInverted addresses: Set<UInt>, in regions: [Range<UInt>],
    reading page: UnsafeMutableBufferPointer<UInt>
  ) -> Int {
    var count = 0
    for region in regions {
      for start in stride(from: region.lowerBound, to: region.upperBound, by: 4096) {
        guard sleepless_read_now(start, page.baseAddress, 4096) else { continue }
        for word in page where addresses.contains(~word) { count += 1 }
      }
    }
    return count
  }

  /// Writable memory without a file. Regions from 256 MB on are left out: they are a sanitizer's.
  private var writableRegions: [Range<UInt>] {
    let map = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    return map.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      let ends = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard parts[1] == "rw-p", parts[4] == "0", ends[1] - ends[0] < 1 << 28 else { return nil }
      return ends[0]..<ends[1]
    }
  }

  private let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

  private final class Link {
    var next: Link?
  }
#endif
