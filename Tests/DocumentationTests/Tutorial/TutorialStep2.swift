// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Let time jump".
@Suite(.needs(.capture)) enum TutorialStep2 {
  typealias Toast = TutorialStep1.Toast

  @Suite enum Simulated {
    #sourceLocation(file:"ToastTests.swift",line:6)
    @MainActor
    @Suite(.simulated) struct ToastTests {
      @Test func `a message goes away after three seconds`() async throws {
        let toast = Toast()
        toast.show("Sold")
        #expect(toast.text == "Sold")

        try await Task.sleep(for: .seconds(3.1))
        #expect(toast.text == nil)
      }
    }
    #sourceLocation()
  }

  @Suite enum Settled {
    #sourceLocation(file:"ToastTests.swift",line:6)
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
    #sourceLocation()
  }

  @Suite enum Timed {
    #sourceLocation(file:"ToastTests.swift",line:6)
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
    }
    #sourceLocation()
  }

  @Suite(.fails(as: "02-5-console.txt", in: "a second message stays for three seconds, too"))
  enum TwoMessages {
    #sourceLocation(file:"ToastTests.swift",line:6)
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
    #sourceLocation()
  }

  @Suite enum Cancelling {
    #sourceLocation(file:"Toast.swift",line:1)
    /// A message that goes away after three seconds.
    @MainActor
    final class Toast {
      private(set) var text: String?
      private var hiding: Task<Void, any Error>?

      func show(_ text: String) {
        self.text = text
        hiding?.cancel()
        hiding = Task {
          try await Task.sleep(for: .seconds(3))
          self.text = nil
        }
      }
    }
    #sourceLocation()

    #sourceLocation(file:"ToastTests.swift",line:6)
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
    #sourceLocation()
  }
}
