import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

@Suite struct ProcessorSupplyTests {
  private func isShort(_ used: Double, runnable: Int) -> Bool {
    ProcessorSupply.isShort(used: .seconds(used), of: .seconds(1), runnable: runnable, cores: 2)
  }

  @Test func `nobody who asks for a core is kept from one`() {
    #expect(!isShort(0, runnable: 0))
  }

  @Test func `less than half of what is asked for is short`() {
    #expect(isShort(0.49, runnable: 1))
    #expect(!isShort(0.5, runnable: 1))
    #expect(isShort(0.9, runnable: 2))
  }

  @Test func `no more than the cores can be asked for`() {
    #expect(!isShort(1, runnable: 40))
    #expect(isShort(0.9, runnable: 40))
  }

  #if os(Linux)
    @Test func `a thread that computes asks for a core`() async {
      let count = await onThread {
        let machine = BusyMachine()
        defer { machine.stop() }
        return ProcessorSupply.runnableThreads
      }
      #expect(count >= 1)
    }
  #endif
}
