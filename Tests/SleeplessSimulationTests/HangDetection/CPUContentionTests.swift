import Foundation
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

@Suite struct CPUContentionTests {
  typealias Thread = CPUContention.Reading.Thread

  /// Whether processor time was short in a second between these two readings, on two cores.
  private func isShort(
    ran: Double, from before: [CInt: Thread] = [:], to threads: [CInt: Thread]
  ) -> Bool {
    let start = CPUContention.Reading(instant: .seconds(5), ran: .seconds(3), threads: before)
    let end = CPUContention.Reading(
      instant: .seconds(6), ran: .seconds(3) + .seconds(ran), threads: threads)
    return end.isShort(since: start, cores: 2)
  }

  private func thread(ran: Double = 0, waited: Double, isRunnable: Bool = false) -> Thread {
    Thread(ran: .seconds(ran), waited: .seconds(waited), isRunnable: isRunnable)
  }

  @Test func `time is not short if no thread waits for a core`() {
    #expect(!isShort(ran: 0, to: [:]))
    #expect(!isShort(ran: 2, to: [1: thread(waited: 0), 2: thread(waited: 0)]))
  }

  @Test func `time is short if threads get less than half of what they ask for`() {
    #expect(isShort(ran: 0.4, to: [1: thread(waited: 0.6)]))
    #expect(!isShort(ran: 0.6, to: [1: thread(waited: 0.6)]))
    #expect(isShort(ran: 0.6, to: [1: thread(waited: 0.4), 2: thread(waited: 0.4)]))
  }

  @Test func `the process is busy if its threads ask for more than half of a core`() {
    let start = CPUContention.Reading(instant: .zero, ran: .zero, threads: [:])
    func isBusy(ran: Double, waited: Double = 0) -> Bool {
      CPUContention.Reading(
        instant: .seconds(1), ran: .seconds(ran), threads: [1: thread(waited: waited)]
      ).isBusy(since: start)
    }
    #expect(!isBusy(ran: 0.5))
    #expect(isBusy(ran: 0.51))
    #expect(isBusy(ran: 0.3, waited: 0.3))
    // Where the kernel does not show it, a process is not busy.
    #expect(!start.isBusy(since: start))
  }

  @Test func `threads cannot ask for more time than the cores have`() {
    let threads = Dictionary(uniqueKeysWithValues: (1...40).map { (CInt($0), thread(waited: 1)) })
    #expect(!isShort(ran: 1, to: threads))
    #expect(isShort(ran: 0.9, to: threads))
  }

  @Test func `time is not short if the waits add up to half of the interval or less`() {
    #expect(!isShort(ran: 0.1, to: [1: thread(waited: 0.5)]))
    #expect(isShort(ran: 0.1, to: [1: thread(waited: 0.51)]))
  }

  @Test func `waits before the interval do not count`() {
    #expect(!isShort(ran: 0, from: [1: thread(waited: 7)], to: [1: thread(waited: 7.5)]))
    #expect(isShort(ran: 0, from: [1: thread(waited: 7)], to: [1: thread(waited: 7.6)]))
  }

  @Test func `an unfinished wait counts if it lasts the whole interval`() {
    let waiting = thread(ran: 4, waited: 7, isRunnable: true)
    #expect(isShort(ran: 0, from: [1: waiting], to: [1: waiting]))
    let sleeping = thread(ran: 4, waited: 7)
    #expect(!isShort(ran: 0, from: [1: sleeping], to: [1: sleeping]))
    #expect(!isShort(ran: 0, from: [1: sleeping], to: [1: waiting]))
    let running = thread(ran: 5, waited: 7, isRunnable: true)
    #expect(!isShort(ran: 1, from: [1: waiting], to: [1: running]))
  }

  @Test func `a wait that ends in the interval counts at most the interval`() {
    let ended = thread(waited: 20)
    #expect(isShort(ran: 0.9, from: [1: thread(waited: 0)], to: [1: ended]))
    #expect(!isShort(ran: 1, from: [1: thread(waited: 0)], to: [1: ended]))
  }

  @Test func `the first call reports no shortage`() {
    var contention = CPUContention()
    let wasShort = contention.wasShort()
    #expect(!wasShort)
  }

  @Test func `a reading that others have made is no older than asked`() {
    let first = CPUContention.Reading.recent(within: .seconds(1))
    let second = CPUContention.Reading.recent(within: .zero)
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
      #expect(second.instant > first.instant)
    #endif
    let third = CPUContention.Reading.recent(within: .seconds(1))
    #expect(third.instant >= second.instant)
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
    /// Runs twice as many threads as cores, until they have waited a fifth of a second, added up.
    @Test(
      .enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/schedstat")),
      .timeLimit(.minutes(10)))
    func `a reading shows that threads which share cores run and wait`() async {
      @Sendable func sum(
        of count: (Thread) -> Duration, from before: CPUContention.Reading,
        to after: CPUContention.Reading
      ) -> Duration {
        before.threads.reduce(.zero) { sum, thread in
          guard let now = after.threads[thread.key] else { return sum }
          return sum + count(now) - count(thread.value)
        }
      }
      let (earlier, before, after) = await onThread {
        let machines = [BusyMachine(), BusyMachine()]
        defer { for machine in machines { machine.stop() } }
        // A reading takes time, and takes the process's count after the threads'. So the process's count
        // of an earlier reading is older than all counts of the next.
        let earlier = CPUContention.Reading.now()
        let before = CPUContention.Reading.now()
        var after = before
        // The machines stop after some seconds.
        while sum(of: { $0.waited }, from: before, to: after) < .milliseconds(200),
          after.ran - before.ran < .seconds(10)
        {
          after = .now()
        }
        return (earlier, before, after)
      }
      #expect(after.threads.values.contains { $0.isRunnable })
      #expect(after.instant > before.instant)
      // A thread's count lacks the time since the last tick of the kernel's clock.
      let ran = sum(of: { $0.ran }, from: before, to: after)
      #expect(ran > .zero && ran <= after.ran - earlier.ran + .milliseconds(50))
    }
  #endif
}
