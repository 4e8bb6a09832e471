// virtual time: everything here runs in simulations
import SleeplessSimulation

/// What starts tasks, and what ends them.
extension Program {
  static let tasks = [
    Program(
      "child tasks of a group",
      diary: ["1@0", "2@0", "3@0", "1 again@10", "2 again@20", "3 again@30", "sum 6@30"]
    ) { diary in
      let sum = try await withThrowingTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            diary.note("\(number)")
            try await Task.sleep(for: .milliseconds(10 * number))
            diary.note("\(number) again")
            return number
          }
        }
        return try await group.reduce(0, +)
      }
      diary.note("sum \(sum)")
    },
    Program(
      "a group in which one task throws",
      diary: ["1 sleeps@0", "2 throws@5", "1 cancelled@5", "caught Broken@5"]
    ) { diary in
      do {
        try await withThrowingTaskGroup { group in
          group.addTask {
            diary.note("1 sleeps")
            do { try await Task.sleep(for: .seconds(10)) } catch { diary.note("1 cancelled") }
          }
          group.addTask {
            try await Task.sleep(for: .milliseconds(5))
            diary.note("2 throws")
            throw Broken()
          }
          for try await _ in group {}
        }
      } catch { diary.note("caught \(type(of: error))") }
    },
    Program(
      "discarding groups",
      diary: ["1@0", "2@0", "3@0", "all three@3", "4 cancelled@13", "caught Broken@13"]
    ) { diary in
      await withDiscardingTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            diary.note("\(number)")
            try? await Task.sleep(for: .milliseconds(number))
          }
        }
      }
      diary.note("all three")
      do {
        try await withThrowingDiscardingTaskGroup { group in
          group.addTask {
            do { try await Task.sleep(for: .seconds(1)) } catch { diary.note("4 cancelled") }
          }
          group.addTask {
            try await Task.sleep(for: .milliseconds(10))
            throw Broken()
          }
        }
      } catch { diary.note("caught \(type(of: error))") }
    },
    Program(
      "async let", diary: ["left@0", "right@0", "left done@20", "right done@30", "left right@30"]
    ) { diary in
      @Sendable func half(_ name: String, _ milliseconds: Int) async throws -> String {
        diary.note(name)
        try await Task.sleep(for: .milliseconds(milliseconds))
        diary.note("\(name) done")
        return name
      }
      async let left = half("left", 20)
      async let right = half("right", 30)
      diary.note(try await "\(left) \(right)")
    },
    Program(
      "async let that is not awaited", diary: ["body ends@5", "cancelled@5", "after@5"]
    ) { diary in
      func leave() async throws {
        async let forgotten: Void = {
          do { try await Task.sleep(for: .seconds(1)) } catch { diary.note("cancelled") }
        }()
        try await Task.sleep(for: .milliseconds(5))
        diary.note("body ends")
      }
      try await leave()
      diary.note("after")
    },
    Program(
      "tasks from synchronous code",
      diary: ["started@0", "load 1@0", "load 2@0", "loaded 1@10", "loaded 2@20"]
    ) { diary in
      /// Has no `async` anywhere.
      final class Model: Sendable {
        func load(_ number: Int, _ diary: Diary) -> Task<Void, any Error> {
          Task {
            diary.note("load \(number)")
            try await Task.sleep(for: .milliseconds(10 * number))
            diary.note("loaded \(number)")
          }
        }
      }
      let loads = [1, 2].map { Model().load($0, diary) }
      diary.note("started")
      for load in loads { try await load.value }
    },
    Program(
      "detached tasks", diary: ["started@0", "1@0", "2@0", "1 from 2@0", "2 again@7", "end@7"]
    ) { diary in
      let first = Task.detached {
        diary.note("1")
        return "1"
      }
      let second = Task.detached {
        diary.note("2")
        diary.note("\(await first.value) from 2")
        try await Task.sleep(for: .milliseconds(7))
        diary.note("2 again")
      }
      diary.note("started")
      try await second.value
      diary.note("end")
    },
    Program(
      "immediate tasks", diary: ["1 at once@0", "2 at once@0", "started@0", "1@3", "2@3", "end@3"]
    ) { diary in
      let tasks = ["1", "2"].map { name in
        Task.immediate {
          diary.note("\(name) at once")
          try await Task.sleep(for: .milliseconds(3))
          diary.note(name)
        }
      }
      diary.note("started")
      for task in tasks { try await task.value }
      diary.note("end")
    },
    Program(
      "yields", diary: ["1 begins@0", "2 begins@0", "1 ends@0", "2 ends@0"]
    ) { diary in
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            diary.note("\(number) begins")
            await Task.yield()
            diary.note("\(number) ends")
          }
        }
      }
    },
  ]

  struct Broken: Error {}
}
