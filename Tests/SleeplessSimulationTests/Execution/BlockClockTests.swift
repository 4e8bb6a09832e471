// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  import CoreFoundation
  import Glibc

  /// Clocks that blocks read agree with each other, and grow as virtual time does (S10).
  @Suite(.needs(.queues), .needs(.clocks), .needs(.dates), .timeLimit(.minutes(10)))
  struct BlockClockTests {
    /// What the clocks of all kinds show since they were first read, in seconds.
    private struct Clocks: Sendable {
      private let start = Self.readings()

      private static func readings() -> [Double] {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        var day = timespec()
        clock_gettime(CLOCK_REALTIME, &day)
        var coarse = timeval()
        gettimeofday(&coarse, nil)
        return [
          Date().timeIntervalSince1970,
          Double(DispatchTime.now().uptimeNanoseconds) / 1e9,
          -Double(Int64(bitPattern: DispatchWallTime.now().rawValue)) / 1e9,
          ProcessInfo.processInfo.systemUptime,
          Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
          Double(day.tv_sec) + Double(day.tv_nsec) / 1e9,
          CFAbsoluteTimeGetCurrent(),
          Double(coarse.tv_sec) + Double(coarse.tv_usec) / 1e6,
          // This clock shows whole seconds: those of the date.
          Double(Glibc.time(nil)) + Double(day.tv_nsec) / 1e9,
        ]
      }

      /// Notes the passed time if all clocks agree with the simulation, else what they show.
      func note(_ name: String, _ runLog: RunLog) {
        let passed = zip(start, Self.readings()).map { $1 - $0 }
        let now = Simulation.current!.now / .seconds(1)
        let agree = passed.allSatisfy { abs($0 - now) < 1e-5 }
        runLog.note(agree ? name : "\(name): \(passed)")
      }
    }

    @Test func `S10 clocks agree in blocks, in a nested sync, and after a blocked sleep`() async {
      let runLog = RunLog()
      let outcome = await Simulation.run {
        let clocks = Clocks()
        let (queue, other) = (DispatchQueue(label: "one"), DispatchQueue(label: "two"))
        queue.asyncAfter(deadline: .now() + 0.5) {
          clocks.note("block", runLog)
          Thread.sleep(forTimeInterval: 1)
          clocks.note("slept", runLog)
          other.sync {
            clocks.note("sync", runLog)
            Thread.sleep(forTimeInterval: 0.25)
            DispatchQueue.global().sync { clocks.note("nested", runLog) }
          }
          clocks.note("after sync", runLog)
        }
        DispatchQueue.main.asyncAfter(wallDeadline: .now() + 1) { clocks.note("main", runLog) }
        sleepThread(.seconds(2))
        clocks.note("body", runLog)
      }
      #expect(
        runLog.entries == [
          "block@500", "main@1000", "slept@1500", "sync@1500", "nested@1750", "after sync@1750",
          "body@2000",
        ])
      #expect(outcome.report.ending.name == "finished")
    }

    @Test func `S10 clocks agree in handlers of timers, work items, groups and operations`()
      async
      throws
    {
      try Need.operations.orCancel()
      let runLog = RunLog()
      _ = await Simulation.run {
        let clocks = Clocks()
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { clocks.note("timer", runLog) }
        timer.schedule(deadline: .now() + 1)
        timer.activate()
        let group = DispatchGroup()
        let item = DispatchWorkItem {
          Thread.sleep(forTimeInterval: 2)
          clocks.note("item", runLog)
        }
        DispatchQueue.global().async(group: group, execute: item)
        group.notify(queue: .main) { clocks.note("group", runLog) }
        OperationQueue().addOperation {
          Thread.sleep(forTimeInterval: 3)
          clocks.note("operation", runLog)
        }
        try await Task.sleep(for: .seconds(4))
        withExtendedLifetime(timer) {}
      }
      #expect(runLog.entries == ["timer@1000", "item@2000", "group@2000", "operation@3000"])
    }

    @Test(arguments: 1...10) func `S10 clocks never go back, whatever the order`(seed: Int) async {
      var options = Simulation.Options()
      options.order = .shuffled(seed: UInt64(seed))
      let readings = Log<UInt64>()
      let outcome = await Simulation.run(options) {
        for number in 1...20 {
          DispatchQueue.global().asyncAfter(deadline: .now() + 0.01 * Double(number % 7)) {
            for _ in 1...5 {
              readings.append(DispatchTime.now().uptimeNanoseconds)
              Thread.sleep(forTimeInterval: 0.001 * Double(number))
              readings.append(UInt64(ProcessInfo.processInfo.systemUptime * 1e9))
            }
          }
        }
        await Simulation.current!.settle()
      }
      #expect(outcome.report.ending.name == "finished")
      let values = readings.values
      #expect(values.count == 200)
      // Uptimes are floating-point numbers.
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 + 1_000 })
      // The last block sleeps five times for at least twenty milliseconds.
      #expect(values.last! - values.first! >= 100_000_000 - 1_000)
    }
  }
#endif
