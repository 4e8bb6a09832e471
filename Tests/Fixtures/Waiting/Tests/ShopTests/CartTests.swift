import Foundation
@testable import Shop
import Testing

@Suite struct CartTests {
  @Test func savesInRealTime() async throws {
    let cart = Cart()
    let start = ContinuousClock.now
    cart.add("book")
    while cart.savedCount == 0 && start.duration(to: .now) < .seconds(1) {
      try await Task.sleep(for: .milliseconds(5))  // real time: find-waits finds it
    }
    #expect(cart.savedCount == 1)
  }

  @Test func isEmpty() { #expect(Cart().savedCount == 0) }
}
