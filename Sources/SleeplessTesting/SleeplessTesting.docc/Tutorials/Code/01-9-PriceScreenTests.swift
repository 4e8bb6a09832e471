import Testing

@testable import Tickets

@MainActor
@Suite struct PriceScreenTests {
  @Test func `the screen shows the new price`() {
    let board = PriceBoard()
    let screen = PriceScreen(board: board)
    board.change(to: 12)
    #expect(screen.text == "12 euros")
  }
}
