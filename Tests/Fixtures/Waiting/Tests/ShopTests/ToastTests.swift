@testable import Shop
import Testing

@MainActor @Suite struct ToastTests {
  @Test func goesAway() async throws {
    let toast = Toast()
    toast.show()
    try await Task.sleep(for: .seconds(2.1))  // real time: find-waits finds it
    #expect(!toast.isShown)
  }

  @Test("a toast is shown for a while") func staysForAWhile() async throws {
    let toast = Toast()
    toast.show(for: .seconds(1))
    try await Task.sleep(for: .milliseconds(500))  // real time: find-waits finds it
    #expect(toast.isShown)
  }

  @Test func isShownAtOnce() {
    let toast = Toast()
    toast.show()
    #expect(toast.isShown)
  }
}
