import ExampleApp
import SleeplessTesting

final class WeatherServiceMock: WeatherService, @unchecked Sendable {
  let answer = Stub<String, Int>("temperature(in:)")

  override func temperature(in city: String) async throws -> Int { try await answer(city) }
}
