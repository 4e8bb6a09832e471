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
  }
}
