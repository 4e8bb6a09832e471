import SleeplessTesting
import Testing
import TestSupport

/// The functions that a stub can stand in for.
@Suite struct StubFormsTests {
  private struct Client: Sendable {
    var user: @Sendable (_ id: Int) async throws -> String
    var refresh: @Sendable () async throws -> Void
  }

  @Test func `a structure of closures can use stubs`() async throws {
    func make(_ user: Stub<Int, String>, _ refresh: Stub<Void, Void>) -> Client {
      Client(user: { id in try await user(id) }, refresh: { try await refresh() })
    }
    let gate = Gate<Void>("refresh")
    let (user, refresh) = (Stub<Int, String>("user"), Stub<Void, Void>("refresh"))
    user.always(.value("Ada"))
    refresh.always(.held(by: gate))
    let client = make(user, refresh)
    #expect(try await client.user(7) == "Ada")
    let refreshing = Task { try await client.refresh() }
    try await gate.entered().succeed()
    try await refreshing.value
    #expect(user.calls.arguments == [7])
  }

  @Test(arguments: [0, 1]) func `a stub serves throwing functions`(id: Int) async {
    let user = Stub<Int, String>("user")
    user.always(.value("Ada"), for: 1)
    user.always(.error(Trouble.offline), for: 0)
    func now(_ id: Int) throws -> String { try user.now(id) }
    func later(_ id: Int) async throws -> String { try await user(id) }
    let handled = Log<Result<String, Trouble>>()
    user(id) { result in handled.append(result.mapError { $0 as! Trouble }) }
    let expected: Result<String, Trouble> = id == 1 ? .success("Ada") : .failure(.offline)
    #expect(Result { try now(id) }.mapError { $0 as! Trouble } == expected)
    #expect(await result { try await later(id) }.mapError { $0 as! Trouble } == expected)
    #expect(handled.values == [expected])
  }

  @Test(arguments: [0, 1]) func `a stub serves functions that throw errors of one type`(id: Int)
    async
  {
    let user = Stub<Int, String>("user")
    user.always(.value("Ada"), for: 1)
    user.always(.error(Trouble.offline), for: 0)
    func now(_ id: Int) throws(Trouble) -> String {
      try user.now(id, orThrow: Trouble.signedOut)
    }
    func later(_ id: Int) async throws(Trouble) -> String {
      try await user(id, orThrow: Trouble.signedOut)
    }
    let handled = Log<Result<String, Trouble>>()
    user(id, orThrow: Trouble.signedOut) { handled.append($0) }
    let expected: Result<String, Trouble> = id == 1 ? .success("Ada") : .failure(.offline)
    #expect(Result { () throws(Trouble) in try now(id) } == expected)
    #expect(await result { try await later(id) }.mapError { $0 as! Trouble } == expected)
    #expect(handled.values == [expected])
  }

  @Test func `a stub serves functions that cannot throw`() async {
    let user = Stub<Int, String>("user", default: .value("Ada"))
    func now(_ id: Int) -> String { user.now(id, orReturn: "nobody") }
    func later(_ id: Int) async -> String { await user(id, orReturn: "nobody") }
    let handled = Log<String>()
    user(1, orReturn: "nobody") { handled.append($0) }
    #expect(now(1) == "Ada")
    #expect(await later(1) == "Ada")
    #expect(handled.values == ["Ada"])
  }

  @Test func `after a failure, functions that cannot throw return the fallback`() async {
    let ends = Log<String>()
    let failures = await failures {
      let user = Stub<Int, String>("user")
      ends.append(user.now(1, orReturn: "nobody"))
      ends.append(await user(1, orReturn: "nobody"))
      user(1, orReturn: "nobody") { ends.append($0) }
      do throws(Trouble) {
        _ = try await user(1, orThrow: Trouble.signedOut)
      } catch {
        ends.append("\(error)")
      }
    }
    #expect(ends.values == ["nobody", "nobody", "nobody", "signedOut"])
    #expect(failures.count == 4)
  }

  @Test func `F1 the error of a failed call is not reported once more`() {
    let line = #line + 2
    let failures = failures {
      let user = Stub<Int, String>("user")
      #expect(throws: (any Error).self) { try user.now(1) }
    }
    #expect(failures.map(\.line) == [line])
  }

  @Test func `a cancelled held call returns the fallback without a failure`() async {
    let gate = Gate<String>("user")
    let user = Stub<Int, String>("user", default: .held(by: gate))
    let call = Task { await user(1, orReturn: "nobody") }
    let typed = Task { try await user(2, orThrow: Trouble.signedOut) }
    _ = try? await gate.entered(2)
    call.cancel()
    typed.cancel()
    #expect(await call.value == "nobody")
    await #expect(throws: Trouble.signedOut) { try await typed.value }
  }

  private func result<Value>(
    of body: () async throws -> Value
  ) async -> Result<Value, any Error> {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
