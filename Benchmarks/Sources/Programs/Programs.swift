// Programs as people write them, with nothing injected. They import nothing, so that the same ones
// run in a simulation, and in a process that has never heard of one.

/// Yields, and goes to an actor and back, as often as it is told.
public func yieldAndHop(times: Int) async -> Int {
  let tally = Tally()
  for _ in 0..<times {
    await Task.yield()
    await tally.add(1)
  }
  return await tally.sum
}

/// Two child tasks share two actors and yield: twenty jobs in a simulation, first come first served.
public func shareTwoActors() async -> Int {
  let first = Tally()
  let second = Tally()
  async let forth: Void = visit(first, second)
  async let back: Void = visit(second, first)
  _ = await (forth, back)
  return await first.sum
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
