import Sleepless
import TestSupport
import Testing

/// Mistakes that stop the program, each in its own process.
@Suite(.oneProcess, .timeLimit(.minutes(10))) struct MisuseProcessTests {
  @Test(arguments: Mistake.allCases)
  func `T6 T7 a mistake stops the program at the caller's line`(mistake: Mistake) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [mistake] in
      mistake.make()
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains(mistake.text))
  }

  @Test func `a repeating interval on an immediate scheduler is remarked on once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      repeatAtOnce()
      repeatAtOnce()
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let remarks = errors.split(separator: "\n").filter { $0.contains("warning: Repeating") }
    #expect(remarks.count == 1)
    #expect(
      remarks.first?.hasSuffix(
        "/Mistake.swift:\(repeatingLine): warning: Repeating work runs once on an immediate scheduler. To see it "
          + "repeat, use a test scheduler.") == true, "\(errors)")
  }

  @Test func `a loop of sleeps on an immediate clock is remarked on once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = ImmediateClock()
      for _ in 1...200_000 { try await clock.sleep(for: .seconds(1)) }
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      errors.split(separator: "\n").filter { $0.contains("ImmediateClock") } == [
        "warning: A loop has slept 100000 times on an ImmediateClock, where no sleep takes time. If nothing "
          + "cancels the loop, it never ends. Use a test clock, or a simulation."
      ], "\(errors)")
  }
}
