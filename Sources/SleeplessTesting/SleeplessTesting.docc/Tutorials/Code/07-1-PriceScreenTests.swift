import SleeplessTesting
import Testing

@testable import Tickets

@MainActor
@Suite(.checkedAtEnd) struct PriceScreenTests {
  @Test func `the screen shows the new price`() {
    let board = PriceBoard()
    let screen = trackMemory(of: PriceScreen(board: board))
    board.change(to: 12)
    #expect(screen.text == "12 euros")
  }
}
