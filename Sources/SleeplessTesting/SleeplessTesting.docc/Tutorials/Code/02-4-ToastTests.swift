import SleeplessTesting
import Testing

@testable import Tickets

@MainActor
@Suite(.simulated) struct ToastTests {
  @Test func `a message goes away after three seconds`() async {
    let toast = Toast()
    toast.show("Sold")
    #expect(toast.text == "Sold")

    await settle()
    #expect(toast.text == nil)
    #expect(Simulation.current?.now == .seconds(3))
  }

  @Test func `a second message stays for three seconds, too`() async throws {
    let toast = Toast()
    toast.show("Sold")
    try await Task.sleep(for: .seconds(2))
    toast.show("Printed")
    try await Task.sleep(for: .seconds(2))
    #expect(toast.text == "Printed")

    await settle()
    #expect(toast.text == nil)
  }
}
