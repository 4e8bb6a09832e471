#if canImport(Combine)
  import Combine
#endif
import SleeplessTesting
import Testing
import XCTest

// Where Combine is missing, its names stand for the types of Sleepless, if the trait is on.
#if canImport(Combine) || CombineNames
  /// The examples on the pages of the bridges to Combine.
  @Suite struct CombineReference {
    @Test func `one of Combine's publishers is recorded`() {
      let subject = CurrentValueSubject<Int, Never>(1)
      let numbers = Recorder(subject)  // records the current value, 1
      subject.send(2)
      numbers.expect(1, 2)
    }

    @Test func `all values of one of Combine's publishers`() {
      let subject = CurrentValueSubject<Int, Never>(0)
      AssertState().assert(
        when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
        valuesAssertions: { #expect($0 == [0, 1]) })  // the current value counts
    }

    @Test func `all values of one of Combine's publishers in an async test`() async {
      let subject = CurrentValueSubject<Int, Never>(0)
      await AssertState().assert(
        when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
        valuesAssertions: { #expect($0 == [0, 1]) })
    }
  }

  final class CombineXCTReference: XCTestCase {
    func testAllValues() {
      let subject = CurrentValueSubject<Int, Never>(0)
      AssertState().assert(
        when: { subject.value = 1 }, type: Int.self, testCase: self, publisher: subject,
        valuesLimit: 2, valuesAssertions: { XCTAssertEqual($0, [0, 1]) })
    }
  }
#endif
