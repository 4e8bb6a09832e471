/// A service without a protocol.
open class WeatherService: @unchecked Sendable {
  // Unchecked because the compiler cannot check open classes. It has no state.

  /// There is no network.
  public struct NoConnection: Error {
    /// Makes the error.
    public init() {}
  }

  /// Makes the service.
  public init() {}

  /// The temperature now, from the network.
  open func temperature(in city: String) async throws -> Int { throw NoConnection() }
}

@MainActor
package final class WeatherModel {
  package private(set) var text = "..."

  private let service: WeatherService

  package init(service: WeatherService = WeatherService()) { self.service = service }

  package func show(_ city: String) async {
    text = "..."
    do {
      text = "\(try await service.temperature(in: city))° in \(city)"
    } catch {
      text = "No weather for \(city)"
    }
  }
}
