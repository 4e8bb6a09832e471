// virtual time: its tests are simulated
package protocol AsyncProfileService: Sendable {
  func user(id: Int) async throws(ProfileError) -> User
}

/// The profile model without any preparation for tests: it starts tasks, sleeps and retries, and
/// its only parameter is its service.
@MainActor
package final class ProfileScreenModel {
  package private(set) var isLoading = false
  package private(set) var user: User?
  package private(set) var message: String?
  /// Shows a greeting for three seconds.
  package private(set) var greeting: String?

  private let service: any AsyncProfileService

  package init(service: any AsyncProfileService) { self.service = service }

  package func load(id: Int) {
    guard !isLoading else { return }
    isLoading = true
    message = nil
    Task {
      await show(answer(id: id))
      isLoading = false
    }
  }

  /// Retries after 1, 2 and 4 seconds while there is no network.
  private func answer(id: Int) async -> Result<User, ProfileError> {
    var delay = Duration.seconds(1)
    while true {
      do {
        return .success(try await service.user(id: id))
      } catch {
        guard error == .offline, delay <= .seconds(4) else { return .failure(error) }
        try? await Task.sleep(for: delay)
        delay *= 2
      }
    }
  }

  private func show(_ answer: Result<User, ProfileError>) {
    switch answer {
    case .success(let user):
      self.user = user
      greet(user)
    case .failure(let error): message = error.message
    }
  }

  private func greet(_ user: User) {
    greeting = "Hello, \(user.name)!"
    Task {
      try? await Task.sleep(for: .seconds(3))
      greeting = nil
    }
  }
}
