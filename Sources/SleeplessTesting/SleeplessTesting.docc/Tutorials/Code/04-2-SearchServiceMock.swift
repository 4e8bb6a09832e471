import SleeplessTesting

@testable import Tickets

struct SearchServiceMock: SearchService {
  let fetch = Stub<String, [String]>("shows(named:)")

  func shows(named text: String) async throws -> [String] { try await fetch(text) }
}
