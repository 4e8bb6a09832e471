import SleeplessTesting
import Testing

/// That an import of the library adds no members to the standard library's types. The toolchain's `Runtime`, which it
/// uses, has an `Int.init?(_:)`; with that one in sight too, the closure below does not compile.
@Suite struct ImportedMembersTests {
  private struct Box<Value> {
    let values: [Value]

    init(error: any Error) { values = [] }

    func compactMap<New>(_ transform: (Value) throws -> New?) rethrows -> Box<New> {
      Box<New>(error: Failure())
    }
  }

  private struct Failure: Error {}

  @Test func `a number is made in a closure that does not say of what`() {
    #expect(Box(error: Failure()).compactMap { Int($0) }.values == [])
  }
}
