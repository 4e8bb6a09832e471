/// Operations that need a certain order; kernels of published benchmarks.
extension Bug {
  static let orders = [
    Bug("token ring", "Three tasks pass a number round, each as soon as it can.") {
      let numbers = Box([0, 0, 0])
      try await together([
        { await numbers.change { $0[0] = $0[2] + 1 } },
        {
          await think(); await numbers.change { $0[1] = $0[0] }
        },
        {
          await think(); await think(); await numbers.change { $0[2] = $0[1] }
        },
      ])
      let all = await numbers.value
      try check(Set(all).count == 1, "the numbers are \(all)")
    } fixed: {
      let numbers = Box([0, 0, 0])
      await numbers.change { $0[0] = $0[2] + 1 }
      await numbers.change { $0[1] = $0[0] }
      await numbers.change { $0[2] = $0[1] }
      let all = await numbers.value
      try check(Set(all).count == 1, "the numbers are \(all)")
    },
    Bug(
      "half written", "A reader comes when a writer has written one of two halves, the first time."
    ) {
      try await write { pair in
        await pair.change { $0.0 = 1 }
        await think()
        await pair.change { $0.1 = -1 }
      }
    } fixed: {
      try await write { pair in await pair.change { $0 = (1, -1) } }
    },
    Bug("driver stopped", "Work passes the check for the stop, and begins after it.") {
      let driver = BluetoothDriver()
      try await run(driver) { try await driver.work() }
    } fixed: {
      let driver = BluetoothDriver()
      try await run(driver) { try await driver.workIfRunning() }
    },
    Bug("two stages", "The second of two values that belong together is read before it is set.") {
      try await readPair(Box(0), Box(0))
    } fixed: {
      let both = Box((0, 0))
      try await together([
        {
          await both.change { $0.0 = 1 }
          await both.change { $0.1 = $0.0 + 1 }
        },
        {
          let (first, second) = await both.value
          try check(first == 0 || second == 0 || second == first + 1, "\(first), \(second)")
        },
      ])
    },
    Bug("shrunk text", "A text is measured and then copied; another task shortens it in between.") {
      let (text, copy) = (Box("hello"), Box(""))
      try await shorten(text) {
        let count = await text.value.count
        await copy.change { $0.reserveCapacity(count) }
        let source = await text.value
        try check(source.count >= count, "\(count) characters of \(source)")
        await copy.change { $0 += source.prefix(count) }
      }
    } fixed: {
      let (text, copy) = (Box("hello"), Box(""))
      try await shorten(text) {
        let source = await text.value
        await copy.change { $0 += source }
      }
    },
    Bug(
      "far behind", "One single step has to come after twenty of another task's.", needsBias: true
    ) {
      try await overtake(checks: false)
    } fixed: {
      try await overtake(checks: true)
    },
  ]

  private static func think() async { await Box(0).change { $0 += 1 } }

  private static func write(
    _ write: @escaping @Sendable (Box<(Int, Int)>) async -> Void
  ) async throws {
    let pair = Box((0, 0))
    try await together([
      { await write(pair) },
      { await write(pair) },
      {
        for _ in 0..<5 { await think() }
        let (first, second) = await pair.value
        try check((first == 0) == (second == 0), "the pair is \(first), \(second)")
      },
    ])
  }

  private actor BluetoothDriver {
    private var (isStopping, isStopped) = (false, false)
    private var pending = 1
    private let (radio, antenna) = (Box("on"), Box("down"))

    func work() async throws {
      guard !isStopping else { return }
      if await radio.value == "off" { return }
      await antenna.set("up")
      pending += 1
      try check(!isStopped, "work begins after the stop")
      finishOne()
    }

    func workIfRunning() async throws {
      if await radio.value == "off" { return }
      await antenna.set("up")
      guard !isStopping else { return }
      pending += 1
      try check(!isStopped, "work begins after the stop")
      finishOne()
    }

    func stop() async {
      isStopping = true
      finishOne()
      if await radio.value == "on" { await radio.set("off") }
      if pending == 0 { isStopped = true }
    }

    private func finishOne() { pending -= 1 }
  }

  private static func run(
    _ driver: BluetoothDriver, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await both(work) {
      for _ in 0..<2 { await think() }
      await driver.stop()
    }
  }

  private static func readPair(_ first: Box<Int>, _ second: Box<Int>) async throws {
    try await together([
      {
        await first.set(1)
        await second.set(await first.value + 1)
      },
      {
        for _ in 0..<4 { await think() }
        let one = await first.value
        guard one != 0 else { return }
        let other = await second.value
        try check(other == one + 1, "\(one) belongs to \(other)")
      },
    ])
  }

  private static func shorten(
    _ text: Box<String>, _ copy: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await both(copy) {
      for _ in 0..<5 { await think() }
      await text.set("hi")
    }
  }

  private static func overtake(checks: Bool) async throws {
    let log = Box(0)
    try await both {
      let seen = await log.value
      try check(checks || seen < 20, "everything else had been done")
    } _: {
      for _ in 0..<20 { await log.change { $0 += 1 } }
    }
  }
}
