import Dispatch
import Sleepless

package struct User: Equatable, Sendable {
  package let id: Int
  package let name: String

  package init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

package enum ProfileError: Error, CaseIterable {
  case offline, notFound, signedOut
}

@MainActor
package protocol ProfileService {
  /// Calls back on a thread that the service chooses.
  func fetchUser(
    id: Int, completion: @escaping @Sendable (Result<User, ProfileError>) -> Void)
}

@MainActor
package final class ProfileViewModel {
  package private(set) var isLoading = false
  package private(set) var user: User?
  package private(set) var message: String?

  private let service: any ProfileService
  private let mainQueue: any DispatchQueueType

  package init(
    service: any ProfileService, mainQueue: any DispatchQueueType = DispatchQueue.main
  ) {
    self.service = service
    self.mainQueue = mainQueue
  }

  package func load(id: Int) {
    guard !isLoading else { return }
    isLoading = true
    message = nil
    service.fetchUser(id: id) { [weak self, mainQueue] result in
      mainQueue.async {
        MainActor.assumeIsolated { self?.show(result) }
      }
    }
  }

  private func show(_ result: Result<User, ProfileError>) {
    isLoading = false
    switch result {
    case .success(let user): self.user = user
    case .failure(let error): message = error.message
    }
  }
}

extension ProfileError {
  package var message: String {
    switch self {
    case .offline: "You are offline."
    case .notFound: "There is no such user."
    case .signedOut: "Please sign in again."
    }
  }
}
