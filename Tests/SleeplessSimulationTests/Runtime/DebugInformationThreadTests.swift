#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines
  import CRuntimeHooks
  import SleeplessSimulation
  import TestSupport
  import Testing

  @Suite struct DebugInformationThreadTests {
    @Test func `one thread reads debug information, whichever thread asks`() async {
      let here = sleepless_thread_number()
      var readers: Set<CInt> = []
      for _ in 0..<3 {
        readers.insert(
          await onThread { DebugInformationThread.shared.result { sleepless_thread_number() } })
      }
      #expect(readers.count == 1)
      #expect(!readers.contains(here))
    }

    @Test func `two threads that ask at once get their own results`() async {
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask {
            await onThread { DebugInformationThread.shared.result { number } } == number
          }
        }
        for await isOwn in group { #expect(isOwn) }
      }
    }
  }
#endif
