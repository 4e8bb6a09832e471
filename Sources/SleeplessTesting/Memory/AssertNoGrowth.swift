import Sleepless

/// Repeats a round trip, and fails if objects of one type stay behind in every round, or in every second one.
///
/// ```swift
/// assertNoGrowth {
///   let screen = navigator.push(ProfilePage())
///   navigator.pop(screen)
/// }
/// ```
///
/// The failure names the types, the number of objects left in each round, and what holds the last one.
///
/// - It counts the objects that the closure makes, and those of the tasks that it starts: of the program's own classes,
///   of Foundation and of the standard library, the memory of strings, arrays, sets and dictionaries, boxed values,
///   errors, closures, and variables that closures share. It counts tasks that have not ended, too.
/// - It does not count objects made on queues and threads, memory that code allocates itself, such as
///   `UnsafeMutablePointer.allocate` and `malloc`, and what XCTest, Swift Testing and this library keep for themselves.
/// - In rounds that throw errors it may count records of Swift Testing's own, as `Array<UInt64>`: Swift Testing keeps
///   one for each address at which an error was. The addresses are mostly the same ones in each round, but not under
///   AddressSanitizer, and not if errors are kept. The failure then names `Backtrace._errorMappingCache`.
/// - The first round is not counted, because caches fill in it. If a type has objects left in half of the rounds,
///   rounded down, or in more, but not in each, as many rounds follow.
/// - If objects are left, the test's tasks first come to rest. Then it waits for objects that something still holds,
///   as `expectDeallocated` does.
/// - A cache that is not full after the last round fails, too: give it more rounds than the cache has places.
/// - It needs at least two rounds.
/// - Linux only: elsewhere objects cannot be counted, and it fails.
public func assertNoGrowth(
  rounds: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () async throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try await round()
  while let logs = growth.nextLogs() {
    for log in logs {
      try await AllocationLog.$current.withValue(log) { try await round() }
      growth.endRound()
    }
    await growth.settle()
  }
  growth.judge()
}

/// Repeats a round trip, and fails if objects of one type stay behind in every round, or in every second one.
///
/// Like the form whose closure is asynchronous.
///
/// ```swift
/// await assertNoGrowth(rounds: 6) {
///   let player = Player()
///   player.play(Playlist())
/// }  // passes: no Player or Playlist is left
/// ```
public func assertNoGrowth(
  rounds: Int = 4,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try round()
  while let logs = growth.nextLogs() {
    try growth.run(round, with: logs)
    await growth.settle()
  }
  growth.judge()
}

/// Repeats a round trip, and fails if objects of one type stay behind in every round, or in every second one.
///
/// Like the form with `await`, for synchronous tests.
///
/// ```swift
/// assertNoGrowth(rounds: 6) {
///   let player = Player()
///   player.play(Playlist())
/// }  // passes: no Player or Playlist is left
/// ```
public func assertNoGrowth(
  rounds: Int = 4,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ round: () throws -> Void
) rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let growth = Growth(rounds: rounds, at: site)
  guard growth.begin() else { return }
  defer { AllocationLog.end() }
  try round()
  while let logs = growth.nextLogs() {
    try growth.run(round, with: logs)
    growth.settleHere()
  }
  growth.judge()
}
