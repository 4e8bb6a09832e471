// Ordinary programs without injected dependencies. They import nothing, so the same programs run in
// a simulation and in a process without Sleepless.

/// Yields, and goes to an actor and back, a number of times.
public func yieldAndHop(times: Int) async -> Int {
  let tally = Tally()
  for _ in 0..<times {
    await Task.yield()
    await tally.add(1)
  }
  return await tally.sum
}

/// Two child tasks share two actors and yield: twenty jobs in a simulation, in first-in, first-out
/// order.
public func shareTwoActors() async -> Int {
  let first = Tally()
  let second = Tally()
  async let forth: Void = visit(first, second)
  async let back: Void = visit(second, first)
  _ = await (forth, back)
  return await first.sum
}

/// That many tasks of a group add to the sum of one actor.
public func addInGroup(tasks: Int) async -> Int {
  let tally = Tally()
  await withTaskGroup { group in
    for _ in 0..<tasks { group.addTask { await tally.add(1) } }
  }
  return await tally.sum
}

private func visit(_ first: Tally, _ second: Tally) async {
  await first.add(1)
  await Task.yield()
  await second.add(1)
}

private actor Tally {
  private(set) var sum = 0

  func add(_ number: Int) { sum += number }
}
