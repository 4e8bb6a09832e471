// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Blocks with a deadline, from tasks, from blocks and from each other (S10).
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct DelayedBlockTests {
  private let queue = DispatchQueue(label: "com.example.queue")

  @Test(arguments: [false, true])
  func `S10 deadlines and wall deadlines are reached in the order of their times`(
    isInBlock: Bool
  ) async throws {
    let log = try await log { [queue] log in
      let delay: @Sendable () -> Void = {
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + 4) { log.write("wall 4") }
        DispatchQueue.global().asyncAfter(deadline: .now() + 3) { log.write("3") }
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .seconds(1)) {
          log.write("wall 1")
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2000)) { log.write("2") }
      }
      if isInBlock { queue.asyncAfter(wallDeadline: .now() + 10, execute: delay) } else { delay() }
      try await Task.sleep(for: .seconds(20))
    }
    let start = isInBlock ? 10 : 0
    #expect(
      log == ["\(start + 1) wall 1", "\(start + 2) 2", "\(start + 3) 3", "\(start + 4) wall 4"])
  }

  #if os(Linux)
    @Test func `S10 a wall deadline from a date and a time agree`() async throws {
      let log = try await log { [queue] log in
        try await Task.sleep(for: .seconds(3))
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        time.tv_sec += 2
        queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: time)) { log.write("time") }
        queue.asyncAfter(
          deadline: DispatchTime(
            uptimeNanoseconds: DispatchTime.now().uptimeNanoseconds + 3_000_000_000
          )
        ) { log.write("nanoseconds") }
        try await Task.sleep(for: .seconds(10))
      }
      #expect(log == ["5 time", "6 nanoseconds"])
    }
  #endif

  @Test func `S10 a delayed block that comes due waits for its queue, and keeps its turn`()
    async throws
  {
    let log = try await log { [queue] log in
      queue.asyncAfter(wallDeadline: .now() + 1) { log.write("delayed") }
      queue.async { Thread.sleep(forTimeInterval: 2) }
      queue.async { log.write("given before") }
      try await Task.sleep(for: .milliseconds(1500))
      queue.async { log.write("given after") }
    }
    #expect(log == ["2 given before", "2 delayed", "2 given after"])
  }

  @Test func `S10 a delayed barrier waits for what came before its deadline`() async throws {
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      concurrent.asyncAfter(wallDeadline: .now() + 2, flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        log.write("barrier")
      }
      for second in [1, 3] {
        concurrent.asyncAfter(deadline: .now() + Double(second)) {
          Thread.sleep(forTimeInterval: 4)
          log.write("read \(second)")
        }
      }
      try await Task.sleep(for: .seconds(20))
    }
    #expect(log == ["5 read 1", "5 barrier", "9 read 3"])
  }

  @Test func `S10 a block delays the next one, for a day`() async throws {
    let count = Locked(0)
    let outcome = await Simulation.run { [queue] in
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        @Sendable func tick() {
          let isLast = count.withLock { count in
            count += 1
            return count == 24
          }
          if isLast { return done.resume() }
          queue.asyncAfter(wallDeadline: .now() + 3600) { tick() }
        }
        queue.asyncAfter(wallDeadline: .now() + 3600) { tick() }
      }
      return Simulation.current!.now
    }
    let elapsed = try #require(try outcome.result?.get())
    #expect(elapsed == .seconds(86_400))
    #expect(count.withLock { $0 } == 24)
  }
}
