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
}
