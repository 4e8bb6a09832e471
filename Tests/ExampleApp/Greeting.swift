import Dispatch
import Sleepless

@MainActor
package protocol HasService {
  var service: any ProfileService { get }
}

/// Greets users by name. The feature is composed of protocols, so it needs no initialiser, and any
/// screen with the same two properties can greet as well.
@MainActor
package protocol Greeting: HasService & HasMainQueue {}

extension Greeting {
  package func greet(id: Int, show: @escaping @MainActor @Sendable (String) -> Void) {
    service.fetchUser(id: id) { [mainQueue] result in
      let name = (try? result.get().name) ?? "stranger"
      mainQueue.async {
        MainActor.assumeIsolated { show("Hello, \(name)!") }
      }
    }
  }
}

package struct WelcomeScreen: Greeting {
  package let service: any ProfileService
  package let mainQueue: any DispatchQueueType

  package init(
    service: any ProfileService, mainQueue: any DispatchQueueType = DispatchQueue.main
  ) {
    self.service = service
    self.mainQueue = mainQueue
  }
}
