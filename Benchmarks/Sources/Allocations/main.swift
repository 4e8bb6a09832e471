// Does `count` pieces of one kind of work, ours or the peer's. `allocations` runs it under valgrind
// with two counts; the difference is what the work itself allocates, without the process round it.

import NIOCore
import NIOEmbedded
import SleeplessTesting

/// What the work does. A closure that captures it and a number needs a context of its own; one that
/// captures a single object needs none, since Swift takes the object itself.
final class Sum: @unchecked Sendable {
  // Unchecked because one thread does everything here.
  var value = 0
}

/// Nanoseconds, scattered over a millisecond.
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

// Work left undone allocates nothing, and would look good.
let expected = ["one-shot": count * (count - 1) / 2, "tick": count * count][work] ?? 0
precondition(sum.value == expected, "\(work): the sum is \(sum.value), not \(expected)")
