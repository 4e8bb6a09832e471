// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The code of the tutorial's step "Try a thousand orders".
@Suite(.needs(.capture)) enum TutorialStep3 {
  typealias BoxOffice = TutorialStep1.BoxOffice
  typealias Bank = TutorialStep1.Bank

  @Suite(
    .fails(as: "03-2-console.txt", showing: ["01-6-BoxOffice.swift", "03-1-BoxOfficeTests.swift"]))
  enum Explored {
    #sourceLocation(file:"BoxOfficeTests.swift",line:6)
    @Suite(.explored) struct BoxOfficeTests {
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

  @Suite(.fails(saying: "The replayed schedule fails: a failure at BoxOfficeTests.swift:12."))
  enum Replayed {
    #sourceLocation(file:"BoxOfficeTests.swift",line:6)
    @Suite(.explored) struct BoxOfficeTests {
      @Test(.explored(replay: "1yKJ4qdADAAIAAoe4")) func `the last ticket is sold once`() async {
        let office = BoxOffice(tickets: 1, bank: Bank())
        async let first = office.sell()
        async let second = office.sell()
        let sold = await [first, second].filter { $0 }
        #expect(sold.count == 1)
      }
    }
    #sourceLocation()
  }

  @Suite enum Repaired {
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
        tickets -= 1
        await bank.charge()
        return true
      }
    }
    #sourceLocation()

    #sourceLocation(file:"BoxOfficeTests.swift",line:6)
    @Suite(.explored) struct BoxOfficeTests {
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
}
