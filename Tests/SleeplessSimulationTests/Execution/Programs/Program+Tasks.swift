// virtual time: everything here runs in simulations
import SleeplessSimulation

/// Programs that start and end tasks.
extension Program {
  static let tasks = [
    Program(
      "child tasks of a group",
      runLog: ["1@0", "2@0", "3@0", "1 again@10", "2 again@20", "3 again@30", "sum 6@30"]
    ) { runLog in
      let sum = try await withThrowingTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            runLog.note("\(number)")
            try await Task.sleep(for: .milliseconds(10 * number))
            runLog.note("\(number) again")
            return number
          }
        }
        return try await group.reduce(0, +)
      }
      runLog.note("sum \(sum)")
    },
    Program(
      "a group in which one task throws",
      runLog: ["1 sleeps@0", "2 throws@5", "1 cancelled@5", "caught Broken@5"]
    ) { runLog in
      do {
        try await withThrowingTaskGroup { group in
          group.addTask {
            runLog.note("1 sleeps")
            do { try await Task.sleep(for: .seconds(10)) } catch { runLog.note("1 cancelled") }
          }
          group.addTask {
            try await Task.sleep(for: .milliseconds(5))
            runLog.note("2 throws")
            throw Broken()
          }
          for try await _ in group {}
        }
      } catch { runLog.note("caught \(type(of: error))") }
    },
    Program(
      "discarding groups",
      runLog: ["1@0", "2@0", "3@0", "all three@3", "4 cancelled@13", "caught Broken@13"]
    ) { runLog in
      await withDiscardingTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            runLog.note("\(number)")
            try? await Task.sleep(for: .milliseconds(number))
          }
        }
      }
      runLog.note("all three")
      do {
        try await withThrowingDiscardingTaskGroup { group in
          group.addTask {
            do { try await Task.sleep(for: .seconds(1)) } catch { runLog.note("4 cancelled") }
          }
          group.addTask {
            try await Task.sleep(for: .milliseconds(10))
            throw Broken()
          }
        }
      } catch { runLog.note("caught \(type(of: error))") }
    },
    Program(
      "async let", runLog: ["left@0", "right@0", "left done@20", "right done@30", "left right@30"]
    ) { runLog in
      @Sendable func half(_ name: String, _ milliseconds: Int) async throws -> String {
        runLog.note(name)
        try await Task.sleep(for: .milliseconds(milliseconds))
        runLog.note("\(name) done")
        return name
      }
      async let left = half("left", 20)
      async let right = half("right", 30)
      runLog.note(try await "\(left) \(right)")
    },
    Program(
      "async let that is not awaited", runLog: ["body ends@5", "cancelled@5", "after@5"]
    ) { runLog in
      func leave() async throws {
        async let forgotten: Void = {
          do { try await Task.sleep(for: .seconds(1)) } catch { runLog.note("cancelled") }
        }()
        try await Task.sleep(for: .milliseconds(5))
        runLog.note("body ends")
      }
      try await leave()
      runLog.note("after")
    },
    Program(
      "tasks from synchronous code",
      runLog: ["started@0", "load 1@0", "load 2@0", "loaded 1@10", "loaded 2@20"]
    ) { runLog in
      /// Has no `async` anywhere.
      final class Model: Sendable {
        func load(_ number: Int, _ runLog: RunLog) -> Task<Void, any Error> {
          Task {
            runLog.note("load \(number)")
            try await Task.sleep(for: .milliseconds(10 * number))
            runLog.note("loaded \(number)")
          }
        }
      }
      let loads = [1, 2].map { Model().load($0, runLog) }
      runLog.note("started")
      for load in loads { try await load.value }
    },
    Program(
      "detached tasks", runLog: ["started@0", "1@0", "2@0", "1 from 2@0", "2 again@7", "end@7"]
    ) { runLog in
      let first = Task.detached {
        runLog.note("1")
        return "1"
      }
      let second = Task.detached {
        runLog.note("2")
        runLog.note("\(await first.value) from 2")
        try await Task.sleep(for: .milliseconds(7))
        runLog.note("2 again")
      }
      runLog.note("started")
      try await second.value
      runLog.note("end")
    },
    Program(
      "immediate tasks", runLog: ["1 at once@0", "2 at once@0", "started@0", "1@3", "2@3", "end@3"]
    ) { runLog in
      let tasks = ["1", "2"].map { name in
        Task.immediate {
          runLog.note("\(name) at once")
          try await Task.sleep(for: .milliseconds(3))
          runLog.note(name)
        }
      }
      runLog.note("started")
      for task in tasks { try await task.value }
      runLog.note("end")
    },
    Program(
      "yields", runLog: ["1 begins@0", "2 begins@0", "1 ends@0", "2 ends@0"]
    ) { runLog in
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            runLog.note("\(number) begins")
            await Task.yield()
            runLog.note("\(number) ends")
          }
        }
      }
    },
  ]

  struct Broken: Error {}
}
