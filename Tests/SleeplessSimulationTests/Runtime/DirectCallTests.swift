// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import CRuntimeHooks
  import Dispatch
  import Foundation
  import Glibc
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// The toolchain's libraries call Dispatch directly while the process has no simulation. Each test has a process of
  /// its own, in which there has been none.
  @Suite(.wholeProcess, .needs(.queues)) struct DirectCallTests {
    @Test(.oneProcess, .disabled(if: isUnderThreadSanitizer, "it must see the calls"))
    func `calls are direct before the first simulation, and after the last one`() async {
      await #expect(processExitsWith: .success) {
        #expect(sleepless_has_direct_calls())
        useEveryFunction()
        #expect(sleepless_has_direct_calls())
        for _ in 0..<2 {
          _ = await Simulation.run { #expect(!sleepless_has_direct_calls()) }
          #expect(sleepless_has_direct_calls())
          useEveryFunction()
        }
      }
    }

    @Test(.oneProcess, .disabled(if: isUnderThreadSanitizer, "it must see the calls"))
    func `no simulation has direct calls while others begin and end`() async {
      await #expect(processExitsWith: .success) {
        let directInside = await withTaskGroup { group in
          for _ in 0..<8 {
            group.addTask {
              var count = 0
              for _ in 0..<500 {
                let outcome = await Simulation.run { sleepless_has_direct_calls() }
                if (try? outcome.result?.get()) != false { count += 1 }
              }
              return count
            }
          }
          return await group.reduce(0, +)
        }
        #expect(directInside == 0)
        #expect(sleepless_has_direct_calls())
      }
    }

    @Test(.oneProcess) func `calls that were direct take virtual time in a simulation`() async {
      await #expect(processExitsWith: .success) {
        useEveryFunction()
        let outcome = await Simulation.run {
          let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
          let isSignalled = semaphore.wait(timeout: .now() + 3_600) == .success
          group.enter()
          let isEmpty = group.wait(timeout: .now() + 3_600) == .success
          let log = Log<String>()
          let queue = DispatchQueue(label: "queue")
          queue.async {
            log.append("async")
            semaphore.signal()
            group.leave()
          }
          log.append("body")
          semaphore.wait()
          group.wait()
          queue.sync { log.append("sync") }
          return (isSignalled, isEmpty, log.values)
        }
        #expect(outcome.report.elapsed == .seconds(7_200))
        let result = try outcome.result?.get()
        #expect(result?.0 == false && result?.1 == false)
        #expect(result?.2 == ["body", "async", "sync"])
        #expect(outcome.report.externalResumptionCount == 0)
      }
    }
  }

  /// Calls each of the nine functions, through Dispatch's Swift interface or Foundation.
  private func useEveryFunction() {
    let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    let queue = DispatchQueue(label: "queue")
    group.enter()
    queue.async {
      semaphore.signal()
      group.leave()
    }
    semaphore.wait()
    group.wait()
    queue.sync {}
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
    let condition = NSCondition()
    condition.signal()
    condition.broadcast()
  }

  private var isUnderThreadSanitizer: Bool { dlsym(nil, "__tsan_init") != nil }
#endif
