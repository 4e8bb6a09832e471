import SleeplessTesting
import Testing

@testable import Tickets

@Suite(.explored) struct BoxOfficeTests {
  @Test func `the last ticket is sold once`() async {
    let office = BoxOffice(tickets: 1, bank: Bank())
    async let first = office.sell()
    async let second = office.sell()
    let sold = await [first, second].filter { $0 }
    #expect(sold.count == 1)
  }
}
