// virtual time: it sleeps in simulations only
import ExampleApp
import SleeplessTesting

/// Answers after a second: with a list of failures, then with the user.
actor AsyncProfileServiceMock: AsyncProfileService {
  private(set) var ids: [Int] = []
  private var failures: [ProfileError]

  init(failing failures: [ProfileError] = []) { self.failures = failures }

  func user(id: Int) async throws(ProfileError) -> User {
    ids.append(id)
    try? await Task.sleep(for: .seconds(1))
    if !failures.isEmpty { throw failures.removeFirst() }
    return User(id: id, name: "Ada")
  }
}
