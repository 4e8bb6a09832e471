import Testing

@testable import Tickets

@MainActor
@Suite struct ToastTests {
  @Test func `a message goes away after three seconds`() async throws {
    let toast = Toast()
    toast.show("Sold")
    #expect(toast.text == "Sold")

    try await Task.sleep(for: .seconds(3))
    #expect(toast.text == nil)
  }
}
