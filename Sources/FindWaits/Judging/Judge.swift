/// Judges the places of one test: what to do, why, and what to write.
struct Judge {
  private let package: SourcePackage
  private let test: SourcePackage.FunctionID
  private let framework: SourcePackage.Framework
  private let obstacle: FoundObstacle?

  init(
    _ package: SourcePackage, test: SourcePackage.FunctionID,
    _ framework: SourcePackage.Framework, _ obstacle: FoundObstacle?
  ) {
    self.package = package
    self.test = test
    self.framework = framework
    self.obstacle = obstacle
  }

  func place(of found: FoundWait) -> Place {
    let wait = found.wait
    let judgement = judgement(of: found)
    let function = package.function(found.function)
    let path = package.path(found.function)
    let name = [function.owner, function.name].compactMap { $0 }.joined(separator: ".")
    return Place(
      file: found.caller?.path ?? path, line: found.caller?.line ?? wait.line, function: name,
      kind: wait.kind, call: wait.call,
      helper: found.caller == nil ? nil : "\(path):\(wait.line)", seconds: found.seconds,
      times: wait.times,
      isLimit: wait.kind.isLimited || wait.kind == .pollingLoop || wait.isGuard,
      fixture: found.fixture, verdict: judgement.verdict, reason: judgement.reason,
      replacements: judgement.replacements)
  }

  private struct Judgement {
    let verdict: Verdict
    let reason: String
    var replacements: [Replacement] = []
  }

  private func judgement(of found: FoundWait) -> Judgement {
    if let obstacle, obstacle.obstacle.kind == .realTime {
      return Judgement(verdict: .leave, reason: "Its time is real: \(text(obstacle)).")
    }
    if package.files[found.function.file].isGenerated {
      return Judgement(verdict: .leave, reason: "The file is generated. Change what generates it.")
    }
    if let reason = Self.reasonToLeave(found.wait.kind) {
      return Judgement(verdict: .leave, reason: reason)
    }
    if let judgement = ofLine(found) { return judgement }
    if let obstacle {
      return injecting(
        found, text(obstacle), isOfSimulations: obstacle.obstacle.kind == .scheduling)
    }
    switch found.wait.kind {
    case .runLoop: return injecting(found, "it runs a run loop", isOfSimulations: true)
    case .pollingLoop where found.wait.runsRunLoop:
      return injecting(found, "it runs a run loop", isOfSimulations: true)
    case .blockingSequence:
      let what = "it blocks the thread until a scheduler runs"
      return injecting(found, what, isOfSimulations: false)
    default: return simulating(found)
    }
  }

  private func text(_ obstacle: FoundObstacle) -> String {
    if obstacle.obstacle.what.hasPrefix("its file") { return obstacle.obstacle.what }
    guard let type = obstacle.type else {
      return "\(obstacle.obstacle.what) (\(obstacle.path):\(obstacle.obstacle.line))"
    }
    let what = obstacle.obstacle.what.dropFirst("it ".count)
    return "\(type) \(what) (\(obstacle.path):\(obstacle.obstacle.line))"
  }

  private static func reasonToLeave(_ kind: WaitKind) -> String? {
    switch kind {
    case .condition:
      "Simulations capture condition variables on Linux alone."
    case .otherThread: "It waits for a thread, a process or an operation."
    case .userInterface: "The app runs in another process."
    case .spinning: "A loop without a pause keeps its thread, in a simulation too."
    default: nil
    }
  }

  // MARK: A changed line

  /// The judgement of a wait whose line changes whatever the code under test does; nil for others.
  private func ofLine(_ found: FoundWait) -> Judgement? {
    let wait = found.wait
    let line = wait.replacements.asynchronous
    switch wait.kind {
    case .yield:
      return Judgement(
        verdict: .line,
        reason: "No number of yields is enough. settle() returns when the tasks are at rest.",
        replacements: written(line, found))
    case .pollingLoop where wait.call.hasSuffix("yield"):
      let advice =
        line == nil ? " Write await eventually { } with the condition that ends the loop." : ""
      return Judgement(
        verdict: .line, reason: "eventually wakes on events and does not poll." + advice,
        replacements: written(line, found))
    case .polledExpectation where wait.call == "waitUntil":
      return Judgement(
        verdict: .line,
        reason: "expectExactlyOnce waits for the one call of its closure's argument.")
    case .polledExpectation:
      return Judgement(
        verdict: .line, reason: "eventually wakes on events and does not poll.",
        replacements: written(line, found))
    default:
      return obstacle == nil ? ofLineInSimulation(found) : nil
    }
  }

  /// The judgement of a wait that a simulation does not capture in this kind of test.
  private func ofLineInSimulation(_ found: FoundWait) -> Judgement? {
    let wait = found.wait
    let isInTask = isInTask(found)
    guard framework == .xctest else { return nil }
    switch wait.kind {
    case .expectation where isInTask && !wait.call.hasSuffix("fulfillment"),
      .invertedExpectation where isInTask && !wait.call.hasSuffix("fulfillment"):
      let line = wait.replacements.asynchronous
      let advice =
        line == nil ? " Write await fulfillment(of:timeout:) with each expectation." : ""
      return Judgement(
        verdict: .line, reason: "A synchronous wait in a task takes real time." + advice,
        replacements: written(line, found) + simulated)
    default:
      return nil
    }
  }

  private func isInTask(_ found: FoundWait) -> Bool {
    package.function(found.function).isAsync || found.wait.closures.contains(.task)
      || found.caller?.closures.contains(.task) == true
  }

  // MARK: Injection

  private func injecting(
    _ found: FoundWait, _ reason: String, isOfSimulations: Bool
  ) -> Judgement {
    let control =
      isOfSimulations
      ? "Simulations control this on Linux alone"
      : "No simulation controls this"
    let line = found.wait.replacements.injected
    return Judgement(
      verdict: .inject, reason: "\(control): \(reason).\(line == nil ? advice(found) : "")",
      replacements: written(line, found))
  }

  /// What to do if the line cannot be written out.
  private func advice(_ found: FoundWait) -> String {
    switch found.wait.kind {
    case .taskSleep, .clockSleep, .threadSleep, .runLoop:
      " Write scheduler.advance(by:) with the duration."
    case .timer: " Write scheduler.schedule(after:) or schedule(every:)."
    case .pollingLoop where found.wait.runsRunLoop:
      " Write scheduler.advance(by:) with the duration."
    default: ""
    }
  }

  // MARK: The trait

  private func simulating(_ found: FoundWait) -> Judgement {
    let reason = "In a simulation it takes virtual time."
    if framework == .swiftTesting || baseClass != nil {
      return Judgement(verdict: .trait, reason: reason, replacements: simulated)
    }
    return Judgement(
      verdict: .line, reason: "Its base class is from another package. " + reason,
      replacements: simulated)
  }

  /// What makes the test simulated.
  private var simulated: [Replacement] {
    let function = package.function(test)
    if let attribute = function.test { return [attribute.simulated] }
    if let head = baseClass { return [head] }
    return [
      Replacement(
        file: package.path(test), line: function.line, text: "try await simulate { /* its body */ }"
      )
    ]
  }

  /// The head of the class of the package that is a subclass of `XCTestCase` itself.
  private var baseClass: Replacement? {
    guard framework == .xctest, let owner = package.function(test).owner else { return nil }
    return package.baseClass(of: owner).flatMap { package.types[$0]?.head }
  }

  private func written(_ text: String?, _ found: FoundWait) -> [Replacement] {
    text.map {
      [Replacement(file: package.path(found.function), line: found.wait.line, text: $0)]
    } ?? []
  }
}
