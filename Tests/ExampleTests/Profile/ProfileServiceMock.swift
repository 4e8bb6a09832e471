import ExampleApp

/// Records the requests, and answers when the test tells it to.
@MainActor
final class ProfileServiceMock: ProfileService {
  private(set) var ids: [Int] = []
  private var completions: [@Sendable (Result<User, ProfileError>) -> Void] = []

  func fetchUser(
    id: Int, completion: @escaping @Sendable (Result<User, ProfileError>) -> Void
  ) {
    ids.append(id)
    completions.append(completion)
  }

  func answer(_ result: Result<User, ProfileError>) {
    completions.removeFirst()(result)
  }
}

extension User {
  static let ada = User(id: 1, name: "Ada")
}
