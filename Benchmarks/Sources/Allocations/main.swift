// Does one kind of work `count` times, ours or the peer's. `allocations` runs it under valgrind
// with two counts. The difference is the work's own allocations, without those of the process.

import NIOCore
import NIOEmbedded
import SleeplessTesting

/// The result of the work. A closure that captures it and a number needs its own context; a closure
/// that captures only one object needs none, because Swift uses the object itself.
final class Sum: @unchecked Sendable {
  // Unchecked because only one thread runs here.
  var value = 0
}

/// A delay in nanoseconds, scattered over a millisecond.
func delay(_ index: Int) -> Int64 { Int64(index * 7_919 % 1_000_003) }

func ours(_ work: String, _ count: Int, _ sum: Sum) {
  let scheduler = TestScheduler()
  switch work {
  case "one-shot":
    for index in 0..<count {
      scheduler.schedule(after: .nanoseconds(delay(index))) { sum.value += index }
    }
    scheduler.advance(by: .seconds(1))
  case "one-shot-bare":
    for index in 0..<count {
      scheduler.schedule(after: .nanoseconds(delay(index))) {}
    }
    scheduler.advance(by: .seconds(1))
  case "cancelled":
    for index in 0..<count {
      scheduler.schedule(after: .nanoseconds(delay(index))) { sum.value += index }.cancel()
    }
  case "tick":
    let timer = scheduler.schedule(every: .milliseconds(1)) { sum.value += count }
    scheduler.advance(by: .milliseconds(count))
    timer.cancel()
  default: fatalError("no such work: \(work)")
  }
}

func peer(_ work: String, _ count: Int, _ sum: Sum) {
  let loop = EmbeddedEventLoop()
  switch work {
  case "one-shot":
    for index in 0..<count {
      loop.scheduleTask(in: .nanoseconds(delay(index))) { sum.value += index }
    }
    loop.advanceTime(by: .seconds(1))
  case "one-shot-bare":
    for index in 0..<count {
      loop.scheduleTask(in: .nanoseconds(delay(index))) {}
    }
    loop.advanceTime(by: .seconds(1))
  case "cancelled":
    for index in 0..<count {
      loop.scheduleTask(in: .nanoseconds(delay(index))) { sum.value += index }.cancel()
    }
  case "tick":
    let interval = TimeAmount.milliseconds(1)
    let timer = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      sum.value += count
    }
    loop.advanceTime(by: .milliseconds(Int64(count)))
    timer.cancel()
  default: fatalError("no such work: \(work)")
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]) else {
  fatalError("usage: Allocations ours|peer one-shot|one-shot-bare|cancelled|tick <count>")
}
let work = arguments[2]
let sum = Sum()
switch arguments[1] {
case "ours": ours(work, count, sum)
case "peer": peer(work, count, sum)
default: fatalError("no such side: \(arguments[1])")
}

// Work that did not run allocates nothing and would look cheap.
let expected = ["one-shot": count * (count - 1) / 2, "tick": count * count][work] ?? 0
precondition(sum.value == expected, "\(work): the sum is \(sum.value), not \(expected)")
