/// The calls that a simulation does not control, and what they stand for.
enum ObstaclePatterns {
  private static let realTimeCalls = [
    "pthread_create": "it makes a thread", "detachNewThread": "it makes a thread",
    "kill": "it sends a signal", "raise": "it sends a signal", "sigaction": "it handles a signal",
    "measure": "it measures real time", "measureMetrics": "it measures real time",
    "posix_spawn": "it starts a process", "fork": "it starts a process",
  ]
  private static let realTimeTypes = [
    "Thread": "it makes a thread", "Process": "it starts a process",
    "XCUIApplication": "it drives an app in another process",
    "NIOThreadPool": "it makes threads",
    "ServerBootstrap": "it runs a server", "ClientBootstrap": "it uses the network",
    "DatagramBootstrap": "it uses the network", "NIOThread": "it makes a thread",
  ]
  private static let eventLoops: Set = ["MultiThreadedEventLoopGroup", "NIOTSEventLoopGroup"]
  private static let injectableTypes = [
    "URLSession": "it uses URLSession", "NWConnection": "it uses the network",
  ]

  static func obstacle(
    at site: CallSite, _ variables: Variables
  ) -> (kind: Obstacle.Kind, what: String)? {
    let first = site.receiver.path.first.map { $0.hasSuffix("()") ? String($0.dropLast(2)) : $0 }
    if site.isCall {
      let isFree = site.receiver.path.isEmpty && !site.receiver.isImplicit
      if isFree || first == "self" || first == "Thread", let what = realTimeCalls[site.name],
        site.name != "measure" || site.closure != nil || site.labels.contains("block")
          || site.labels.contains("metrics"),
        // `kill(processID, SIGTERM)`, and no method of the test's own.
        !["kill", "raise"].contains(site.name) || site.arguments.count <= 2
      {
        return (.realTime, what)
      }
      if isFree, let what = realTimeTypes[site.name] { return (.realTime, what) }
      if isFree, let what = injectableTypes[site.name] { return (.injectable, what) }
      if let found = dispatch(site, first, variables) ?? foundation(site, first, variables) {
        return (.scheduling, found)
      }
    }
    if site.receiver.path.isEmpty, eventLoops.contains(site.name) {
      return (.realTime, "it runs event loops on threads")
    }
    if site.name == "URLSession", site.receiver.path.isEmpty {
      return (.injectable, "it uses URLSession")
    }
    return nil
  }

  /// Whether a variable is a queue, by its type, or by its name if its type is unknown.
  private static func isQueue(_ name: String, _ site: CallSite, _ variables: Variables) -> Bool {
    variables.type(of: name, at: site.index).map { $0 == "DispatchQueue" }
      ?? name.lowercased().hasSuffix("queue")
  }

  private static func dispatch(
    _ site: CallSite, _ first: String?, _ variables: Variables
  ) -> String? {
    let last = site.receiver.path.last ?? ""
    switch site.name {
    case "asyncAfter":
      return "it calls asyncAfter"
    case "async" where first == "DispatchQueue":
      return last == "main" ? "it uses the main queue" : "it uses a dispatch queue"
    case "async" where isQueue(last, site, variables):
      return "it uses a dispatch queue"
    case "concurrentPerform" where first == "DispatchQueue":
      return "it uses threads of Dispatch"
    case "makeTimerSource":
      return "it uses a timer of Dispatch"
    default:
      return nil
    }
  }

  private static func foundation(
    _ site: CallSite, _ first: String?, _ variables: Variables
  ) -> String? {
    let last = site.receiver.path.last ?? ""
    switch site.name {
    case "scheduledTimer" where first == "Timer", "publish" where first == "Timer":
      return "it uses Timer"
    case "Timer" where site.receiver.path.isEmpty && !site.arguments.isEmpty:
      return "it uses Timer"
    case "OperationQueue" where site.receiver.path.isEmpty && !site.receiver.isImplicit:
      return "it uses an operation queue"
    case "addOperation"
    where first == "OperationQueue" || variables.type(of: last, at: site.index) == "OperationQueue":
      return "it uses an operation queue"
    default:
      return nil
    }
  }
}
