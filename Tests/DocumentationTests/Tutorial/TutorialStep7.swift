// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Find the leak".
@Suite enum TutorialStep7 {
  typealias PriceBoard = TutorialStep1.PriceBoard
  typealias PriceScreen = TutorialStep1.PriceScreen

  @Suite(.needs(.memorySearch), .fails(as: "07-2-console.txt")) enum Leaking {
    #sourceLocation(file:"PriceScreenTests.swift",line:6)
    @MainActor
    @Suite(.checkedAtEnd) struct PriceScreenTests {
      @Test func `the screen shows the new price`() {
        let board = PriceBoard()
        let screen = trackMemory(of: PriceScreen(board: board))
        board.change(to: 12)
        #expect(screen.text == "12 euros")
      }
    }
    #sourceLocation()
  }

  @Suite enum Repaired {
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
        board.onChange = { [weak self] price in self?.text = "\(price) euros" }
      }
    }
    #sourceLocation()

    #sourceLocation(file:"PriceScreenTests.swift",line:6)
    @MainActor
    @Suite(.checkedAtEnd) struct PriceScreenTests {
      @Test func `the screen shows the new price`() {
        let board = PriceBoard()
        let screen = trackMemory(of: PriceScreen(board: board))
        board.change(to: 12)
        #expect(screen.text == "12 euros")
      }
    }
    #sourceLocation()
  }
}
