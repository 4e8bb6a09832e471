// How soon `eventually` notices that its condition is true: from just before the change to the
// return of the call. Prints name, median and 99th percentile, separated by tabs; the target
// follows on standard error.

import Dispatch
import Foundation
import Observation
import SleeplessTesting

let rounds = 2_000

/// The time of a change.
final class Timestamp: @unchecked Sendable {
  // Unchecked: it is written before the change for which the reader waits.
  var time: UInt64 = 0
  func set() { time = DispatchTime.now().uptimeNanoseconds }
}

/// Changes something after the waiting thread has gone to sleep.
func soon(_ change: @escaping @Sendable () -> Void) {
  Thread.detachNewThread {
    usleep(500)
    change()
  }
}

func print(_ name: String, _ durations: [UInt64]) {
  let sorted = durations.sorted()
  func micro(_ index: Int) -> Double { Double(sorted[index]) / 1_000 }
  let median = micro(sorted.count / 2)
  print(String(format: "%@\t%.1f µs\t%.1f µs", name, median, micro(sorted.count * 99 / 100)))
  guard name != "nothing announced" else { return }
  let verdict = median <= 50 ? "met" : "MISSED"
  let line = String(format: "target: %@ noticed within 50 µs, is %.1f: %@\n", name, median, verdict)
  FileHandle.standardError.write(Data(line.utf8))
}

func measure(_ round: (Timestamp) async -> Void) async -> [UInt64] {
  var durations: [UInt64] = []
  for _ in 0..<rounds {
    let timestamp = Timestamp()
    await round(timestamp)
    durations.append(DispatchTime.now().uptimeNanoseconds - timestamp.time)
  }
  return durations
}

func recorded() async -> [UInt64] {
  await measure { timestamp in
    let numbers = Recorder<Int, Never>(allowsUnread: true)
    soon {
      timestamp.set()
      numbers.record(1)
    }
    await eventually { !numbers.all().isEmpty }
  }
}

@MainActor @Observable final class Model { var count = 0 }

@MainActor func observed() async -> [UInt64] {
  let model = Model()
  var durations: [UInt64] = []
  for round in 1...rounds {
    let timestamp = Timestamp()
    soon {
      Task { @MainActor in
        timestamp.set()
        model.count = round
      }
    }
    await eventually { model.count == round }
    durations.append(DispatchTime.now().uptimeNanoseconds - timestamp.time)
  }
  return durations
}

func unannounced() async -> [UInt64] {
  await measure { timestamp in
    // Counts as real time: no helper announces the change.
    let flag = DispatchSemaphore(value: 0)
    soon {
      timestamp.set()
      flag.signal()
    }
    await eventually { flag.wait(timeout: .now()) == .success }
  }
}

print("a recorder's event", await recorded())
print("an observed change", await observed())
print("nothing announced", await unannounced())
