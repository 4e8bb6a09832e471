// virtual time: what sleeps here does so in simulations
import SleeplessTesting
import TestSupport
import Testing

/// The recipes of Recipes.md about services and connections.
enum ServiceRecipes {
  @Suite(.needs(.capture)) struct Token {
    actor Session {
      private var token: String?
      private var refreshing: Task<String, any Error>?
      private let refresh: @Sendable () async throws -> String

      init(refresh: @escaping @Sendable () async throws -> String) { self.refresh = refresh }

      func currentToken() async throws -> String {
        if let token { return token }
        if let refreshing { return try await refreshing.value }
        let task = Task { try await refresh() }
        refreshing = task
        defer { refreshing = nil }
        let new = try await task.value
        token = new
        return new
      }
    }

    @Test(.explored) func `two requests share one refresh`() async throws {
      let refresh = Stub<Void, String>("refresh")
      refresh.always(.value("t1"))
      let session = Session { try await refresh() }
      async let first = session.currentToken()
      async let second = session.currentToken()
      #expect(try await [first, second] == ["t1", "t1"])
      #expect(refresh.calls.count == 1)
    }
  }

  @Suite(.needs(.capture)) struct Stream {
    @MainActor final class Chat {
      private(set) var lines: [String] = []

      func run(connect: () async throws -> AsyncStream<String>) async throws {
        while true {
          for await line in try await connect() { lines.append(line) }
          try await Task.sleep(for: .seconds(5))
        }
      }
    }

    @MainActor
    @Test(.simulated) func `a broken connection is opened again after five seconds`() async {
      let (first, socket) = AsyncStream<String>.makeStream()
      let (second, newSocket) = AsyncStream<String>.makeStream()
      let connect = Stub<Void, AsyncStream<String>>("connect")
      connect.inTurn(.value(first), .value(second))
      let chat = Chat()
      let running = Task { try await chat.run { try await connect() } }

      socket.yield("Hello")
      socket.finish()
      newSocket.yield("Again")
      await settle()
      #expect(chat.lines == ["Hello", "Again"])
      #expect(Simulation.current?.now == .seconds(5))
      running.cancel()
    }
  }

  @Suite(.needs(.capture)) struct Handler {
    func respond(_ backend: @escaping @Sendable () async throws -> String) async -> String {
      await withTaskGroup { group in
        group.addTask { (try? await backend()) ?? "502 Bad Gateway" }
        group.addTask {
          try? await Task.sleep(for: .seconds(2))
          return "504 Gateway Timeout"
        }
        defer { group.cancelAll() }
        return await group.next()!
      }
    }

    @Test(.simulated) func `a slow backend gives a timeout`() async {
      let backend = Stub<Void, String>("backend")
      backend.always(.after(.seconds(5), .value("200 OK")))
      let response = await respond { try await backend() }
      #expect(response == "504 Gateway Timeout")
      #expect(Simulation.current?.now == .seconds(2))
    }
  }
}
