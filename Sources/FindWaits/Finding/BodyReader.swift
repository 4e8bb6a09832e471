/// Finds in the body of one function: the places that wait, the calls of other functions, and what a simulation
/// does not control.
struct BodyReader {
  let file: SourceFile
  let variables: Variables
  private(set) var waits: [Wait] = []
  private(set) var calls: [Call] = []
  private(set) var obstacles: [Obstacle] = []
  /// The words that are spelt like types.
  private(set) var mentions: Set<String> = []
  /// The brackets around the present token.
  private var contexts: [Context] = []
  private var pending: (word: Int, depth: Int)?
  let range: Range<Int>
  private var index = 0

  struct Context {
    enum Kind: Equatable {
      case brackets(callee: String?)
      case loop(Loop)
      case closure(Wait.Closure)
      case other
    }

    let kind: Kind
    let end: Int

    var isInBrackets: Bool {
      if case .brackets = kind { return true }
      return false
    }
  }

  /// `while`, `repeat` or `for` with its body.
  struct Loop: Equatable {
    /// From its first word to its closing brace, or to the end of its condition.
    let range: Range<Int>
    let body: Range<Int>
    /// What has to be true for another turn; nil for `for`.
    let condition: Range<Int>?
    /// The number of turns, if its bounds are literals.
    let times: Int?
  }

  init(_ file: SourceFile, _ range: Range<Int>, _ variables: Variables) {
    self.file = file
    self.range = range
    self.variables = variables
    index = range.lowerBound
    while index < range.upperBound {
      while let last = contexts.last, last.end <= index { contexts.removeLast() }
      read(index)
      index += 1
    }
    mergePolling()
  }

  var tokens: [Token] { file.tokens }

  private static let controlWords: Set = [
    "while", "for", "repeat", "if", "guard", "switch", "do", "catch", "else", "defer", "func",
    "class", "struct", "enum", "actor", "extension", "init", "get", "set", "didSet", "willSet",
  ]

  private mutating func read(_ index: Int) {
    let token = tokens[index]
    switch token.kind {
    case .word, .quotedWord:
      readWord(at: index)
    case .sign where token.text == "(" || token.text == "[":
      let callee = token.text == "(" && index > range.lowerBound ? callee(before: index) : nil
      contexts.append(Context(kind: .brackets(callee: callee), end: file.partner(of: index)))
    case .sign where token.text == "{":
      readBrace(at: index)
    default:
      break
    }
  }

  // MARK: Brackets

  private mutating func readBrace(at index: Int) {
    let end = file.partner(of: index)
    if let control = pending, control.depth == contexts.count {
      pending = nil
      let loop = loop(from: control.word, body: (index + 1)..<end)
      contexts.append(Context(kind: loop.map { .loop($0) } ?? .other, end: end))
      return
    }
    let name: String?
    let callee = calleeIndex(ofClosureAt: index)
    if let callee {
      name = tokens[callee].text
    } else if case .brackets(let around)? = contexts.last?.kind {
      name = around
    } else {
      name = nil
    }
    contexts.append(Context(kind: .closure(Self.closure(name)), end: end))
  }

  private static func closure(_ name: String?) -> Wait.Closure {
    switch name {
    case "simulate", "explore", "exploreCancellation": .simulation
    case "Task", "detached", "addTask", "addTaskUnlessCancelled", "addImmediateTask", "immediate":
      .task
    case "async", "asyncAfter", "concurrentPerform", "addOperation", "schedule", "scheduledTimer",
      "sync", "execute":
      .queue
    case "Thread", "detachNewThread": .thread
    case "measure", "measureMetrics", "measureBlock": .measure
    default: .other
    }
  }

  /// The word before a bracket, if the bracket is that of a call.
  private func callee(before index: Int) -> String? {
    tokens[index - 1].isName ? tokens[index - 1].text : nil
  }

  private func calleeIndex(ofClosureAt index: Int) -> Int? {
    guard index > range.lowerBound else { return nil }
    let before = tokens[index - 1]
    if before.isSign(")") {
      let open = file.partner(of: index - 1)
      return open > range.lowerBound && tokens[open - 1].isName ? open - 1 : nil
    }
    let isValue = before.isName && !["return", "in", "try", "await", "throw"].contains(before.text)
    return isValue ? index - 1 : nil
  }

  // MARK: Loops

  private func loop(from word: Int, body: Range<Int>) -> Loop? {
    switch tokens[word].text {
    case "while":
      return Loop(
        range: word..<(body.upperBound + 1), body: body,
        condition: (word + 1)..<(body.lowerBound - 1),
        times: nil)
    case "repeat":
      let after = body.upperBound + 1
      guard after < range.upperBound, tokens[after].isWord("while") else { return nil }
      let end = endOfStatement(from: after)
      return Loop(range: word..<end, body: body, condition: (after + 1)..<end, times: nil)
    case "for":
      let times = file.literalTimes(in: (word + 1)..<(body.lowerBound - 1))
      return Loop(range: word..<(body.upperBound + 1), body: body, condition: nil, times: times)
    default:
      return nil
    }
  }

  private func endOfStatement(from index: Int) -> Int {
    var end = index + 1
    while end < range.upperBound, !tokens[end].startsLine, !tokens[end].isSign("}") {
      end = tokens[end].isOpening ? file.partner(of: end) + 1 : end + 1
    }
    return end
  }

  // MARK: Words

  private mutating func readWord(at index: Int) {
    let token = tokens[index]
    let isMember = index > range.lowerBound && tokens[index - 1].isSign(".")
    if token.text.isTypeName { mentions.insert(token.text) }
    if token.kind == .word, !isMember, Self.controlWords.contains(token.text) {
      // The end of `repeat { } while condition` has no body.
      let endsRepeat =
        token.text == "while" && index > range.lowerBound && tokens[index - 1].isSign("}")
        && isRepeat(file.partner(of: index - 1))
      if !endsRepeat { pending = (index, contexts.count) }
      if ["while", "repeat", "for"].contains(token.text) { readSpinning(at: index) }
      return
    }
    guard let site = site(at: index) else { return }
    readObstacles(of: site)
    if let wait = WaitPatterns.wait(at: site, in: self) {
      note(wait, at: site)
    } else if site.isCall {
      noteCall(site)
    }
  }

  private func isRepeat(_ brace: Int) -> Bool {
    brace > range.lowerBound && tokens[brace - 1].isWord("repeat")
  }

  /// The call whose name is at an index.
  private func site(at index: Int) -> CallSite? {
    guard index + 1 < tokens.count else { return nil }
    let next = tokens[index + 1]
    if index > range.lowerBound, tokens[index - 1].isWord("func") { return nil }
    let receiver = file.receiver(of: index, from: range.lowerBound)
    if next.isSign("("), !next.startsLine {
      let close = file.partner(of: index + 1)
      let hasClosure =
        close + 1 < range.upperBound && tokens[close + 1].isSign("{")
        && pending?.depth != contexts.count
      return CallSite(
        name: tokens[index].text, index: index, receiver: receiver,
        arguments: file.arguments(in: (index + 2)..<close).map { file.argument($0) },
        end: close + 1, closure: hasClosure ? close + 1 : nil, isCall: true)
    }
    let opens = next.isSign("{") && pending?.depth != contexts.count
    return CallSite(
      name: tokens[index].text, index: index, receiver: receiver, arguments: [],
      end: index + 1, closure: opens ? index + 1 : nil, isCall: opens)
  }

  // MARK: Results

  private var closures: [Wait.Closure] {
    contexts.compactMap { context in
      if case .closure(let closure) = context.kind { return closure }
      return nil
    }
  }

  /// The loops that repeat the present call in this task, from the inside out.
  private var loops: [Loop] {
    var loops: [Loop] = []
    for context in contexts.reversed() {
      switch context.kind {
      case .loop(let loop): loops.append(loop)
      case .closure(.other), .brackets, .other: continue
      case .closure: return loops
      }
    }
    return loops
  }

  private static let failures: Set = [
    "XCTFail", "fatalError", "preconditionFailure", "throw", "Issue", "fail",
  ]

  /// Whether the statement after the present one fails the test, or throws.
  private var failureFollows: Bool {
    guard let end = contexts.last(where: { !$0.isInBrackets })?.end else { return false }
    guard let next = (index..<end).first(where: { tokens[$0].startsLine && $0 > index }) else {
      return false
    }
    let after = (next + 1..<end).first { tokens[$0].startsLine } ?? end
    return tokens[next..<after].contains { Self.failures.contains($0.text) }
  }

  private var polls: [(loop: Loop, wait: Int, call: Range<Int>)] = []

  private mutating func note(_ wait: Wait, at site: CallSite) {
    guard !closures.contains(.simulation) else { return }
    var wait = wait
    wait.runsRunLoop = wait.kind == .runLoop
    wait.isGuard = closures.contains(.task) && failureFollows
    for loop in loops {
      if wait.kind.isPause, file.isPolling(loop) {
        polls.append((loop, waits.count, file.expressionStart(of: site)..<site.end))
        break
      }
      let (times, isTooMuch) = wait.times.multipliedReportingOverflow(by: loop.times ?? 1)
      wait.times = isTooMuch ? .max : times
    }
    waits.append(wait)
  }

  /// Makes the pauses of one polling loop one place.
  private mutating func mergePolling() {
    var removed: Set<Int> = []
    for pauses in Dictionary(grouping: polls, by: \.loop.range.lowerBound).values {
      let (loop, index, _) = pauses[0]
      removed.formUnion(pauses.dropFirst().map(\.wait))
      waits[index].kind = .pollingLoop
      waits[index].times = loop.times ?? 0
      let condition = file.endCondition(of: loop, pausing: pauses.map(\.call))
      waits[index].replacements.asynchronous = condition.map {
        file.line(of: loop.range, replacedBy: "await eventually { \($0) }")
      }
    }
    waits = waits.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
  }

  /// Makes a wait of the call at a site.
  func wait(
    _ kind: WaitKind, _ site: CallSite, _ duration: DurationExpression? = nil,
    _ replacements: Wait.Replacements = Wait.Replacements()
  ) -> Wait {
    Wait(
      kind: kind, line: tokens[site.index].line, call: site.fullName, duration: duration,
      closures: closures, replacements: replacements)
  }

  /// A loop with nothing in it but a comparison of the time or of a variable.
  private mutating func readSpinning(at index: Int) {
    guard tokens[index].text == "while", !closures.contains(.simulation) else { return }
    guard let brace = file.index(of: "{", in: (index + 1)..<range.upperBound),
      file.partner(of: brace) == brace + 1
    else { return }
    let condition = (index + 1)..<brace
    // `while let value = iterator.next() { }` reads to the end, and `while lock.try() { }` works.
    let text = condition.map { tokens[$0].text }
    guard !text.contains("let"), !text.contains("next") else { return }
    waits.append(
      Wait(kind: .spinning, line: tokens[index].line, call: "while", closures: closures))
  }

  private mutating func noteCall(_ site: CallSite) {
    guard !closures.contains(.simulation) else { return }
    let receiver: Call.Receiver
    switch site.receiver.path {
    case [], ["self"], ["super"], ["Self"]:
      receiver = site.receiver.isImplicit ? .value(type: nil) : .own
    case let path where path.count == 1 && path[0].isTypeName && !path[0].hasSuffix("()"):
      receiver = .type(path[0])
    case let path:
      let last = path.last ?? ""
      receiver = .value(
        type: last.isTypeName ? String(last.dropLast(2)) : variables.type(of: last, at: site.index))
    }
    calls.append(
      Call(
        name: site.name, receiver: receiver,
        arguments: site.arguments.map { argument in
          Call.Argument(
            label: argument.label,
            tokens: argument.value.count <= 8 ? Array(tokens[argument.value]) : [])
        },
        hasTrailingClosure: site.closure != nil, line: tokens[site.index].line, closures: closures))
  }

  private mutating func readObstacles(of site: CallSite) {
    guard !closures.contains(.simulation) else { return }
    if let (kind, what) = ObstaclePatterns.obstacle(at: site, variables) {
      obstacles.append(Obstacle(kind: kind, what: what, line: tokens[site.index].line))
    }
  }
}

extension WaitKind {
  /// Whether it pauses for a duration, so that a loop around it polls.
  fileprivate var isPause: Bool {
    [.taskSleep, .clockSleep, .threadSleep, .yield, .runLoop].contains(self)
  }
}
