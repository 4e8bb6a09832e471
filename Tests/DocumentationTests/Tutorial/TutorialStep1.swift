// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "A suite that waits".
@Suite(.needs(.capture)) enum TutorialStep1 {
  #sourceLocation(file:"Toast.swift",line:1)
  /// A message that goes away after three seconds.
  @MainActor
  final class Toast {
    private(set) var text: String?

    func show(_ text: String) {
      self.text = text
      Task {
        try await Task.sleep(for: .seconds(3))
        self.text = nil
      }
    }
  }
  #sourceLocation()

  @Suite(.fails(as: "01-4-console.txt"), .simulated) enum Sleeping {
    #sourceLocation(file:"ToastTests.swift",line:5)
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
    #sourceLocation()
  }

  @Suite(.simulated, .takes(.seconds(3.1))) enum SleepingLonger {
    #sourceLocation(file:"ToastTests.swift",line:5)
    @MainActor
    @Suite struct ToastTests {
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

  #sourceLocation(file:"BoxOffice.swift",line:1)
  /// Takes the money.
  actor Bank {
    private(set) var payments = 0

    func charge() { payments += 1 }
  }

  /// Sells the tickets of one show.
  actor BoxOffice {
    private(set) var tickets: Int
    private let bank: Bank

    init(tickets: Int, bank: Bank) {
      self.tickets = tickets
      self.bank = bank
    }

    /// Returns false if no ticket is left.
    func sell() async -> Bool {
      guard tickets > 0 else { return false }
      await bank.charge()
      tickets -= 1
      return true
    }
  }
  #sourceLocation()

  @Suite(.mayFail) enum Flaking {
    #sourceLocation(file:"BoxOfficeTests.swift",line:5)
    @Suite struct BoxOfficeTests {
      @Test func `the last ticket is sold once`() async {
        let office = BoxOffice(tickets: 1, bank: Bank())
        async let first = office.sell()
        async let second = office.sell()
        let sold = await [first, second].filter { $0 }
        #expect(sold.count == 1)
      }
    }
    #sourceLocation()
  }

  #sourceLocation(file:"PriceScreen.swift",line:1)
  /// Tells of each new price.
  @MainActor
  final class PriceBoard {
    var onChange: ((Int) -> Void)?

    func change(to price: Int) { onChange?(price) }
  }

  @MainActor
  final class PriceScreen {
    private(set) var text = ""
    private let board: PriceBoard

    init(board: PriceBoard) {
      self.board = board
      board.onChange = { price in self.text = "\(price) euros" }
    }
  }
  #sourceLocation()

  #sourceLocation(file:"PriceScreenTests.swift",line:5)
  @MainActor
  @Suite struct PriceScreenTests {
    @Test func `the screen shows the new price`() {
      let board = PriceBoard()
      let screen = PriceScreen(board: board)
      board.change(to: 12)
      #expect(screen.text == "12 euros")
    }
  }
  #sourceLocation()
}
