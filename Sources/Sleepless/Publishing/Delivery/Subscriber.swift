/// One subscription as its subject sees it: the closures, and whether they may be called.
final class Subscriber<Output: Sendable, Failure: Error>: Sendable {
  let ticket: Ticket
  private let receiveCompletion: @Sendable (PublisherCompletion<Failure>) -> Void
  private let receiveValue: @Sendable (Output) -> Void

  init(
    ticket: Ticket,
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) {
    self.ticket = ticket
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  func receive(_ value: Output) {
    guard ticket.isLive else { return receiveLater(value) }
    receiveValue(value)
  }

  func receive(_ completion: PublisherCompletion<Failure>) {
    guard ticket.isLive else {
      return ticket.callLater { [ticket, receiveCompletion] in
        ticket.end()
        receiveCompletion(completion)
      }
    }
    ticket.end()
    receiveCompletion(completion)
  }

  /// Gives the subscriber its first value, if there is one, and then what was left for it meanwhile.
  func greet(with value: Output?) {
    ticket.greet {
      if let value { receiveValue(value) }
    }
  }

  private func receiveLater(_ value: Output) {
    guard !ticket.isOver else { return }
    ticket.callLater { [receiveValue] in receiveValue(value) }
  }
}
