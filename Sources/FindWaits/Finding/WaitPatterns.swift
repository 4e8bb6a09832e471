/// The calls that wait, each with what to write in its place.
enum WaitPatterns {
  private static let modules: Set = [
    "Foundation", "Swift", "_Concurrency", "Darwin", "Glibc", "XCTest",
  ]

  /// The wait of the call at a site; nil if it is none.
  static func wait(at site: CallSite, in body: BodyReader) -> Wait? {
    // `Foundation.Thread.sleep`
    let path = site.receiver.path.drop { modules.contains($0) }
    let first = path.first.map { $0.hasSuffix("()") ? String($0.dropLast(2)) : $0 }
    switch site.name {
    case "sleep":
      return sleep(site, first, body)
    case "usleep" where site.isFree:
      return threadSleep(site, unit: 1e-6, body)
    case "nanosleep" where site.isFree:
      return body.wait(.threadSleep, site)
    case "yield" where first == "Task", "megaYield" where first == "Task":
      return body.wait(
        .yield, site, nil, .init(asynchronous: body.replacing(site, "await settle()")))
    case "wait":
      return wait(site, first, body)
    case "waitForExpectations" where site.isOwn:
      return waitForExpectations(site, body)
    case "fulfillment" where site.argument("of") != nil:
      return expectation(site, list: site.argument("of")!, body)
    case "run":
      return runLoop(site, first, body)
    case "CFRunLoopRun", "CFRunLoopRunInMode":
      return body.wait(.runLoop, site)
    case "asyncAfter" where site.isCall:
      return delayedCall(site, body)
    case "scheduledTimer" where first == "Timer":
      return timer(site, body)
    default:
      return otherWait(at: site, first, body)
    }
  }

  // MARK: Sleeps

  private static func sleep(_ site: CallSite, _ first: String?, _ body: BodyReader) -> Wait? {
    guard site.isCall else { return nil }
    switch first {
    case "Task":
      return asyncSleep(.taskSleep, site, body)
    case "Thread":
      return threadSleep(site, unit: 1, body)
    case "ContinuousClock", "SuspendingClock":
      return asyncSleep(.clockSleep, site, body)
    case nil where site.receiver.isImplicit:
      return nil
    case nil:
      return site.labels == [nil] ? threadSleep(site, unit: 1, body) : nil
    default:
      let type = site.receiver.path.last.flatMap { body.variables.type(of: $0, at: site.index) }
      let isReal = type == "ContinuousClock" || type == "SuspendingClock"
      return isReal ? asyncSleep(.clockSleep, site, body) : nil
    }
  }

  private static func asyncSleep(_ kind: WaitKind, _ site: CallSite, _ body: BodyReader) -> Wait? {
    guard let argument = site.arguments.first else { return nil }
    let form: DurationExpression.Form
    switch argument.label {
    case nil, "nanoseconds": form = .number(unit: 1e-9)
    case "milliseconds": form = .number(unit: 1e-3)
    case "seconds": form = .number(unit: 1)
    case "for": form = .duration
    case "until": form = .instant
    default: form = .other
    }
    let duration = body.duration(argument.value, form)
    return body.wait(
      kind, site, duration, .init(injected: advancing(site, duration, body, isAsync: true)))
  }

  private static func threadSleep(_ site: CallSite, unit: Double, _ body: BodyReader) -> Wait? {
    guard let argument = site.arguments.first else { return nil }
    let form: DurationExpression.Form
    switch argument.label {
    case nil, "forTimeInterval": form = .number(unit: unit)
    case "until": form = .date
    default: form = .other
    }
    let duration = body.duration(argument.value, form)
    return body.wait(
      .threadSleep, site, duration,
      .init(injected: advancing(site, duration, body, isAsync: false)))
  }

  private static func advancing(
    _ site: CallSite, _ duration: DurationExpression, _ body: BodyReader, isAsync: Bool
  ) -> String? {
    duration.durationSource.map {
      body.replacing(site, "\(isAsync ? "await " : "")scheduler.advance(by: \($0))")
    }
  }

  // MARK: Expectations

  private static func wait(_ site: CallSite, _ first: String?, _ body: BodyReader) -> Wait? {
    guard site.isCall else { return nil }
    if let list = site.argument("for"), site.isOwn || first == "XCTWaiter" || isWaiter(site, body) {
      return expectation(site, list: list, body)
    }
    guard let last = site.receiver.path.last, site.labels.count <= 1 else {
      return nil
    }
    let type =
      last == "DispatchSemaphore()" || last == "DispatchGroup()"
      ? String(last.dropLast(2)) : body.variables.type(of: last, at: site.index)
    let timeout = site.argument("timeout") ?? site.argument("wallTimeout")
    switch type {
    case "DispatchSemaphore": return semaphore(.semaphore, site, timeout, body)
    case "DispatchGroup": return semaphore(.group, site, timeout, body)
    case "NSCondition": return condition(site, site.argument("until"), body)
    case "DispatchWorkItem": return body.wait(.otherThread, site)
    case nil: break
    default: return nil
    }
    if timeout != nil, site.arguments.count == 1 {
      let isGroup = last.lowercased().hasSuffix("group")
      return semaphore(isGroup ? .group : .semaphore, site, timeout, body)
    }
    // `await semaphore.wait()` belongs to an asynchronous semaphore.
    let isSemaphore = type == nil && last.lowercased().hasSuffix("semaphore")
    if site.arguments.isEmpty, isSemaphore, !body.isAwaited(site) {
      return semaphore(.semaphore, site, nil, body)
    }
    return nil
  }

  private static func isWaiter(_ site: CallSite, _ body: BodyReader) -> Bool {
    site.receiver.path.last.map { body.variables.type(of: $0, at: site.index) == "XCTWaiter" }
      ?? false
  }

  private static func expectation(
    _ site: CallSite, list: Range<Int>, _ body: BodyReader
  ) -> Wait {
    let names = body.tokens[list].filter(\.isName).map(\.text)
    // One inverted expectation makes the whole timeout go by.
    let isInverted = names.contains(where: body.variables.inverted.contains)
    let duration = site.argument("timeout").map { body.duration($0) }
    var replacements = Wait.Replacements(injected: "scheduler.run()\n" + body.line(site))
    if site.name == "wait" {
      let isList =
        body.tokens[list.lowerBound].isSign("[") || names.count == 1 && list.count == 1
      // With what it was made of, as in `XCTWaiter(delegate: self)`.
      let receiver = body.text(from: site.receiver.start, to: site.index)
      if isList {
        replacements.asynchronous = body.file.line(
          of: site.receiver.start..<site.end,
          replacedBy:
            "await \(receiver)fulfillment(of: \(body.text(from: list.lowerBound, to: site.end))")
      }
    }
    return body.wait(isInverted ? .invertedExpectation : .expectation, site, duration, replacements)
  }

  private static func waitForExpectations(_ site: CallSite, _ body: BodyReader) -> Wait {
    let timeout = site.argument("timeout")
    let names = body.expectations(before: site)
    let isInverted = (names ?? body.variables.expectations).contains(
      where: body.variables.inverted.contains)
    var replacements = Wait.Replacements(injected: "scheduler.run()\n" + body.line(site))
    let handler = site.argument("handler")
    let hasHandler =
      site.closure != nil || handler.map { !body.tokens[$0.lowerBound].isWord("nil") } ?? false
    if let names, let timeout, !hasHandler {
      let seconds = body.text(from: timeout.lowerBound, to: timeout.upperBound)
      replacements.asynchronous = body.replacing(
        site, "await fulfillment(of: [\(names.joined(separator: ", "))], timeout: \(seconds))")
    }
    return body.wait(
      isInverted ? .invertedExpectation : .expectation, site,
      timeout.map { body.duration($0) }, replacements)
  }

  // MARK: Dispatch and threads

  private static func semaphore(
    _ kind: WaitKind, _ site: CallSite, _ timeout: Range<Int>?, _ body: BodyReader
  ) -> Wait {
    body.wait(
      kind, site, timeout.map { body.duration($0) },
      .init(injected: "scheduler.run()\n" + body.line(site)))
  }

  private static func condition(
    _ site: CallSite, _ limit: Range<Int>?, _ body: BodyReader
  ) -> Wait {
    body.wait(.condition, site, limit.map { body.duration($0) })
  }

  private static func runLoop(_ site: CallSite, _ first: String?, _ body: BodyReader) -> Wait? {
    let type = site.receiver.path.last.flatMap { body.variables.type(of: $0, at: site.index) }
    guard first == "RunLoop" || type == "RunLoop" else { return nil }
    guard site.isCall else { return nil }
    let limit = site.argument("until") ?? site.argument("before")
    guard let duration = limit.map({ body.duration($0, .date) }) else {
      return body.wait(
        .runLoop, site, nil, .init(injected: body.replacing(site, "scheduler.run()")))
    }
    // `run(mode:before:)` returns whether it ran.
    let isUsed = site.argument("before") != nil && !body.isStatement(site)
    return body.wait(
      .runLoop, site, duration,
      .init(injected: isUsed ? nil : advancing(site, duration, body, isAsync: false)))
  }

  private static func delayedCall(_ site: CallSite, _ body: BodyReader) -> Wait? {
    guard let deadline = site.argument("deadline") ?? site.argument("wallDeadline") else {
      return nil
    }
    return body.wait(
      .delayedCall, site, body.duration(deadline),
      .init(injected: body.replacingReceiver(of: site, by: "scheduler")))
  }

  private static func timer(_ site: CallSite, _ body: BodyReader) -> Wait? {
    guard let interval = site.argument("withTimeInterval") ?? site.argument("timeInterval") else {
      return nil
    }
    let duration = body.duration(interval, .number(unit: 1))
    return body.wait(
      .timer, site, duration, .init(injected: scheduling(site, duration, body)))
  }

  /// The line that schedules a timer's closure; nil if the timer itself is used, or if the source does not tell how
  /// often it fires.
  private static func scheduling(
    _ site: CallSite, _ duration: DurationExpression, _ body: BodyReader
  ) -> String? {
    guard let brace = site.closure, let duration = duration.durationSource,
      let word = site.argument("repeats").flatMap({
        words[body.text(from: $0.lowerBound, to: $0.upperBound)]
      }),
      body.isStatement(site), let header = body.headerWithoutParameter(ofClosureAt: brace)
    else { return nil }
    return body.file.line(
      of: site.receiver.start..<header.end,
      replacedBy: "scheduler.schedule(\(word): \(duration)) {\(header.text)")
  }

  /// The label of `schedule`, for the argument `repeats:`.
  private static let words = ["true": "every", "false": "after"]

  // MARK: Other libraries

  private static let polledExpectations: Set = [
    "toEventually", "toEventuallyNot", "toNotEventually", "toNever", "toAlways",
  ]

  private static func otherWait(at site: CallSite, _ first: String?, _ body: BodyReader) -> Wait? {
    guard site.isCall else { return nil }
    switch site.name {
    case _ where polledExpectations.contains(site.name):
      return PolledExpectation.wait(at: site, in: body)
    case "waitUntil" where site.isOwn && site.closure != nil:
      guard site.labels.isEmpty || site.labels.contains("timeout") else { return nil }
      return body.wait(
        .polledExpectation, site, site.argument("timeout").map { body.duration($0) })
    case "toBlocking":
      return body.wait(
        .blockingSequence, site, site.argument("timeout").map { body.duration($0) })
    case "waitUntilAllOperationsAreFinished", "waitUntilFinished", "waitUntilExit", "pthread_join",
      "sem_wait":
      return body.wait(.otherThread, site)
    case "addOperations" where site.argument("waitUntilFinished") != nil:
      return body.wait(.otherThread, site)
    case "pthread_cond_wait", "pthread_cond_timedwait":
      return body.wait(.condition, site)
    case "lock" where site.labels.first == "whenCondition":
      return condition(site, site.argument("before"), body)
    case "waitForExistence", "waitForNonExistence":
      return body.wait(
        .userInterface, site, site.argument("timeout").map { body.duration($0) })
    default:
      return nil
    }
  }
}

extension CallSite {
  /// Without a receiver.
  fileprivate var isFree: Bool { receiver.path.isEmpty && !receiver.isImplicit && isCall }

  /// Without a receiver, or with `self`.
  fileprivate var isOwn: Bool {
    isFree || isCall && ["self", "super"].contains(receiver.path.first)
  }
}

extension BodyReader {
  /// The duration that is written in some tokens.
  func duration(
    _ range: Range<Int>, _ form: DurationExpression.Form = .other
  ) -> DurationExpression {
    DurationExpression(tokens: Array(tokens[range]), source: file.source(of: range), form: form)
  }

  func isAwaited(_ site: CallSite) -> Bool {
    (file.expressionStart(of: site)..<site.receiver.start).contains { tokens[$0].isWord("await") }
  }

  func line(_ site: CallSite) -> String { file.line(of: site.receiver.start..<site.end) }

  /// The line of a call, with a text in the place of the call.
  func replacing(_ site: CallSite, _ text: String) -> String {
    file.line(of: site, replacedBy: text)
  }

  func replacingReceiver(of site: CallSite, by text: String) -> String {
    let end = max(site.receiver.start, site.index - 1)
    return file.line(of: site.receiver.start..<end, replacedBy: text)
  }

  /// The source from a token to before another.
  func text(from start: Int, to end: Int) -> String { file.source(of: start..<end) }

  /// Whether the value of a call is not used. That of the only expression of a block may be.
  func isStatement(_ site: CallSite) -> Bool {
    let start = file.expressionStart(of: site)
    let end = site.closure.map { file.partner(of: $0) + 1 } ?? site.end
    if tokens[start].isWord("_") || tokens[start].isWord("let") || tokens[start].isWord("var") {
      return true
    }
    let isLast = end >= range.upperBound || tokens[end].isSign("}")
    guard start > range.lowerBound, !tokens[start - 1].isSign("{") else { return !isLast }
    let before = tokens[start - 1]
    if before.isSign(";") { return true }
    let ends = before.kind != .sign || [")", "]", "}"].contains(before.text)
    return tokens[start].startsLine && ends && !["return", "in"].contains(before.text)
  }

  /// The head of a closure of one parameter that it does not use, without that parameter, and the place behind it.
  func headerWithoutParameter(ofClosureAt brace: Int) -> (text: String, end: Int)? {
    let inside = (brace + 1)..<file.partner(of: brace)
    guard let first = inside.first else { return ("", brace + 1) }
    let captures = tokens[first].isSign("[") ? first..<(file.partner(of: first) + 1) : first..<first
    let name = captures.upperBound
    guard name + 1 < inside.upperBound, tokens[name].isName, tokens[name + 1].isWord("in"),
      !tokens[(name + 2)..<inside.upperBound].contains(where: {
        $0.text == tokens[name].text && $0.text != "_"
      })
    else { return nil }
    return (captures.isEmpty ? "" : " \(file.source(of: captures)) in", name + 2)
  }

  /// The variables of the expectations for which `waitForExpectations` waits: those that were made since the wait
  /// before. Nil if one has no variable, or none that is known where the call is.
  func expectations(before site: CallSite) -> [String]? {
    var names: [String] = []
    var isKnown = true
    for index in range.lowerBound..<site.index where tokens[index].isName {
      guard index + 1 < site.index, tokens[index + 1].isSign("(") else { continue }
      switch tokens[index].text {
      case "waitForExpectations":
        (names, isKnown) = ([], true)
      case "wait", "fulfillment":
        // It may wait for one of them.
        isKnown = false
      case "expectation", "keyValueObservingExpectation":
        let name = variable(initializedAt: index)
        isKnown = isKnown && name != nil && block(of: index) == block(of: site.index)
        names += name.map { [$0] } ?? []
      default:
        continue
      }
    }
    return isKnown && !names.isEmpty ? names : nil
  }

  /// The name in `let name: Type = self.call(…)`, if the call is at an index.
  private func variable(initializedAt index: Int) -> String? {
    var equals = index - 1
    if equals > range.lowerBound + 1, tokens[equals].isSign("."), tokens[equals - 1].isWord("self")
    {
      equals -= 2
    }
    guard equals > range.lowerBound + 1, tokens[equals].isSign("=") else { return nil }
    var name = equals - 1
    if name > range.lowerBound + 2, tokens[name - 1].isSign(":") { name -= 2 }
    guard name > range.lowerBound, tokens[name].isName,
      tokens[name - 1].isWord("let") || tokens[name - 1].isWord("var")
    else { return nil }
    return tokens[name].text
  }

  /// The place of the brace around an index; nil if that is the function's own.
  private func block(of index: Int) -> Int? {
    var index = index - 1
    while index >= range.lowerBound {
      if tokens[index].isSign("{") { return index }
      let isClosing =
        tokens[index].kind == .sign && file.partner(of: index) >= 0 && !tokens[index].isOpening
      index = isClosing ? file.partner(of: index) - 1 : index - 1
    }
    return nil
  }
}
