// The cost of memory checks, in nanoseconds each: watching an object, and making and freeing an
// object in a program with the library, which sees every allocation and release. Also the time of a
// search among a million objects, in milliseconds.
//
//     swift run -c release Watching

import SleeplessTesting
import XCTest

final class Ship {}

final class Node {
  var next: Node?
  var owner: AnyObject?
}

let count = 100_000

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func nanoseconds(_ work: () -> Void) -> Double {
  let time = ContinuousClock().measure(work).components
  return Double(time.seconds) * 1e9 + Double(time.attoseconds) / 1e9
}

func report(_ name: String, _ value: Double) { print("\(name)\t\((value * 10).rounded() / 10)") }

/// The helpers need the end of a test, so the program runs as an XCTest case.
final class Watching: XCTestCase {
  func measureAll() {
    let ships = (0..<count).map { _ in Ship() }
    report(
      "watch an object, ns",
      median(
        (0..<9).map { _ in
          nanoseconds { for ship in ships { trackMemory(of: ship) } } / Double(count)
        }))
    var last: Ship?
    report(
      "make and free an object, ns",
      median(
        (0..<9).map { _ in
          nanoseconds { for _ in 0..<count { last = Ship() } } / Double(count)
        }))
    withExtendedLifetime(last) {}
  }
}

Watching(name: "Watching") { ($0 as! Watching).measureAll() }.run()

/// A million objects in one cycle, which nothing else holds.
@inline(never)
func makeCycleOfAMillion() -> Node {
  let first = Node()
  var latest = first
  for _ in 1..<1_000_000 {
    let node = Node()
    latest.next = node
    latest = node
  }
  latest.next = first
  return first
}

/// What the latest failure says.
final class Failures: NSObject, XCTestObservation {
  private(set) var latest = ""

  func testCase(
    _ testCase: XCTestCase, didFailWithDescription description: String, inFile filePath: String?,
    atLine lineNumber: Int
  ) { latest = description }
}

/// The search has to visit all objects: to find the cycle, and to prove that nothing outside can break it.
func findAmongAMillion() {
  let failures = Failures()
  XCTestObservationCenter.shared.addTestObserver(failures)
  var made = makeCycleOfAMillion() as Node?
  report(
    "find a cycle of a million, ms",
    nanoseconds {
      Watching(name: "Search") { _ in
        expectDeallocated {
          defer { made = nil }
          return made!
        }
      }.run()
    } / 1e6)
  guard failures.latest.hasPrefix("Node was not deallocated: it keeps itself alive.") else {
    print("The cycle was not found: \(failures.latest)")
    exit(1)
  }
}
findAmongAMillion()
exit(0)
