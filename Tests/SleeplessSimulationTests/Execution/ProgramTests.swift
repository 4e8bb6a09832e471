import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

/// Unmodified programs: their events, and that a seed decides all of them.
@Suite(.wholeProcess) struct ProgramTests {
  @Test(arguments: Program.all)
  func `S2 time moves only when nothing can run`(program: Program) async {
    let course = await program.course()
    #expect(course.runLog == program.runLog)
    #expect(course.ending == "finished")
    #expect(course.error == nil)
    #expect(course.externalResumptionCount == 0)
    #expect(course.unfinishedTasks == [])
  }

  @Test(arguments: Program.all)
  func `S1 a seed gives the same course every time`(program: Program) async {
    let first = await program.course(.shuffled(seed: 1))
    for repetition in 1..<rounds(1000) {
      let next = await program.course(.shuffled(seed: 1))
      guard next != first else { continue }
      #expect(next == first, "repetition \(repetition)")
      break
    }
  }

  @Test(arguments: Program.all)
  func `other seeds give other courses if a program has several`(program: Program) async {
    var courses: Set<[String]> = []
    for seed in 0..<40 as Range<UInt64> {
      let course = await program.course(.shuffled(seed: seed))
      courses.insert(course.runLog + course.trace.map { "\($0)" })
    }
    // A program of two orders shows only one of them in one of 2^39 runs; the seeds are fixed.
    #expect((courses.count > 1) == program.hasOrders)
  }

  @Test func `S1 a busy machine does not change a course`() async {
    var alone: [Course] = []
    for program in Program.all { alone.append(await program.course(.shuffled(seed: 2))) }
    let machine = BusyMachine()
    defer { machine.stop() }
    await withTaskGroup { group in
      for (program, course) in zip(Program.all, alone) {
        group.addTask {
          for _ in 0..<rounds(10) {
            #expect(await program.course(.shuffled(seed: 2)) == course, "\(program.name)")
          }
        }
      }
    }
  }
}
