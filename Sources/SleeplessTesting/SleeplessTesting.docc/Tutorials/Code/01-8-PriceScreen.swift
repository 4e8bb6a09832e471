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
