import ExampleApp
import SleeplessTesting
import Testing

@MainActor
@Suite struct ToastModelTests {
  let scheduler = TestScheduler()
  let toast: ToastModel

  init() {
    toast = ToastModel(scheduler: scheduler)
  }

  @Test func `a toast stays for two and a half seconds`() {
    toast.show("Saved")
    scheduler.advance(by: .milliseconds(2499))
    #expect(toast.text == "Saved")
    scheduler.advance(by: .milliseconds(1))
    #expect(toast.text == nil)
  }

  @Test func `a second toast gets its full time`() {
    toast.show("Saved")
    scheduler.advance(by: .seconds(2))
    toast.show("Sent")
    scheduler.advance(by: .seconds(2))
    #expect(toast.text == "Sent")
    scheduler.advance(by: .milliseconds(500))
    #expect(toast.text == nil)
  }
}
