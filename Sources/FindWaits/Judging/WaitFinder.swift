/// Finds the tests that wait, with the places that make them wait, and judges each place.
struct WaitFinder {
  private let package: SourcePackage

  init(_ package: SourcePackage) { self.package = package }

  /// The tests that wait, worst first, and the number of all tests.
  func find() -> (tests: [WaitingTest], count: Int) {
    var tests: [WaitingTest] = []
    var count = 0
    let cases = cases()
    for (fileIndex, file) in package.files.enumerated() {
      for (index, function) in file.functions.enumerated() {
        guard let framework = package.framework(of: function) else { continue }
        count += 1
        guard !package.isSimulated(function) else { continue }
        let id = SourcePackage.FunctionID(file: fileIndex, function: index)
        guard var test = test(id, framework) else { continue }
        if framework == .xctest, let owner = function.owner, let base = package.baseClass(of: owner)
        {
          test.base = BaseClass(name: base, cases: cases[base, default: []].sorted())
        }
        tests.append(test)
      }
    }
    return (tests.sorted(by: isWorse), count)
  }

  /// The cases of XCTest that have tests, by the class whose base makes them simulated.
  private func cases() -> [String: Set<String>] {
    var cases: [String: Set<String>] = [:]
    for function in package.files.lazy.flatMap(\.functions)
    where package.framework(of: function) == .xctest {
      guard let owner = function.owner, let base = package.baseClass(of: owner) else { continue }
      cases[base, default: []].insert(owner)
    }
    return cases
  }

  /// More literal seconds first, then more limits, then more places, then by place.
  private func isWorse(_ left: WaitingTest, _ right: WaitingTest) -> Bool {
    if left.seconds != right.seconds { return left.seconds > right.seconds }
    if left.limitSeconds != right.limitSeconds { return left.limitSeconds > right.limitSeconds }
    if left.places.count != right.places.count { return left.places.count > right.places.count }
    return (left.file, left.line) < (right.file, right.line)
  }

  // MARK: One test

  private func test(
    _ id: SourcePackage.FunctionID, _ framework: SourcePackage.Framework
  ) -> WaitingTest? {
    let function = package.function(id)
    var collected = Collected()
    collectWaits(of: id, calledAt: nil, with: [:], into: &collected)
    for fixture in package.fixtures(of: function, framework) {
      collected.fixture = package.function(fixture).name
      collectWaits(of: fixture, calledAt: nil, with: [:], into: &collected)
    }
    // A delayed call or a timer makes a test wait only if something waits for it. An asynchronous test may await it
    // without a call that says so.
    let delays: Set<WaitKind> = [.delayedCall, .timer]
    guard collected.waits.contains(where: { function.isAsync || !delays.contains($0.wait.kind) })
    else { return nil }
    for start in [id] + package.fixtures(of: function, framework) {
      collectReached(from: start, into: &collected)
    }
    let obstacle = obstacle(of: id, collected)
    let judge = Judge(package, test: id, framework, obstacle)
    let places = collected.waits.map { judge.place(of: $0) }.sorted {
      ($0.file, $0.line) < ($1.file, $1.line)
    }
    return WaitingTest(
      name: [function.owner, function.name].compactMap { $0 }.joined(separator: "."),
      file: package.path(id), line: function.test?.simulated.line ?? function.line,
      framework: framework.rawValue, places: places)
  }

  private struct Collected {
    var waits: [FoundWait] = []
    var fixture: String?
    /// The functions that wait on the way to the present one.
    var path: [SourcePackage.FunctionID] = []
    /// The functions that the test calls, each once.
    var reached: [SourcePackage.FunctionID] = []
  }

  /// Collects the waits of a function and of the helpers that it calls. A helper that is called twice waits twice.
  private func collectWaits(
    of id: SourcePackage.FunctionID, calledAt caller: FoundWait.Caller?,
    with arguments: [String: [Token]], into collected: inout Collected
  ) {
    guard package.waiting.contains(id), !collected.path.contains(id), collected.path.count < 6,
      collected.waits.count < 200
    else { return }
    collected.path.append(id)
    defer { collected.path.removeLast() }
    let function = package.function(id)
    for wait in function.waits {
      let seconds = wait.duration?.seconds { name in
        arguments[name] ?? function.defaultValue(of: name) ?? package.constant(name, in: id)
      }
      collected.waits.append(
        FoundWait(
          wait: wait, function: id, seconds: seconds, caller: caller, fixture: collected.fixture))
    }
    for callee in package.callees[id] ?? [] {
      let call = callee.call
      let values = package.function(callee.target).values(in: call).mapValues { tokens in
        // An argument may be a parameter of the caller.
        tokens.count == 1 ? arguments[tokens[0].text] ?? tokens : tokens
      }
      collectWaits(
        of: callee.target,
        calledAt: caller
          ?? FoundWait.Caller(path: package.path(id), line: call.line, closures: call.closures),
        with: values, into: &collected)
    }
  }

  private func collectReached(from id: SourcePackage.FunctionID, into collected: inout Collected) {
    var seen = Set(collected.reached)
    var next = [id]
    while let id = next.popLast() {
      guard seen.insert(id).inserted else { continue }
      collected.reached.append(id)
      next += (package.callees[id] ?? []).map(\.target).reversed()
    }
  }

  // MARK: What a simulation does not control

  /// The obstacle that decides: real time before what can be injected, the test's own before that of a type.
  private func obstacle(
    of id: SourcePackage.FunctionID, _ collected: Collected
  ) -> FoundObstacle? {
    let function = package.function(id)
    let own = collected.reached.flatMap { id in
      package.function(id).obstacles.map { FoundObstacle(path: package.path(id), obstacle: $0) }
    }
    if let first = own.first(where: { $0.obstacle.kind == .realTime }) ?? own.first { return first }
    var mentions: Set<String> = []
    for id in collected.reached { mentions.formUnion(package.function(id).mentions) }
    if let owner = function.owner {
      for type in [owner] + package.ancestors(of: owner) {
        mentions.formUnion(package.types[type]?.mentions ?? [])
      }
    }
    let suite = function.owner?.split(separator: ".").first.map(String.init)
    let found = mentions.sorted().compactMap { name -> FoundObstacle? in
      guard name != suite, let type = package.types[name], type.isDeclared,
        !package.isTestCase(name), let first = type.obstacles.first
      else { return nil }
      // A double can stand in for a type with threads.
      let kind = first.obstacle.kind == .scheduling ? Obstacle.Kind.scheduling : .injectable
      return FoundObstacle(
        path: first.path,
        obstacle: Obstacle(kind: kind, what: first.obstacle.what, line: first.obstacle.line),
        type: name)
    }
    if let first = found.first { return first }
    return package.files[id.file].networkLibrary.map { library in
      FoundObstacle(
        path: package.path(id),
        obstacle: Obstacle(kind: .realTime, what: "its file imports \(library)", line: 1))
    }
  }
}

/// A wait of a test, in it or in a helper.
struct FoundWait {
  struct Caller {
    let path: String
    let line: Int
    let closures: [Wait.Closure]
  }

  let wait: Wait
  let function: SourcePackage.FunctionID
  let seconds: Double?
  /// Where the test calls the helper that waits.
  let caller: Caller?
  /// The function around the test that waits; nil if it is the test.
  let fixture: String?
}

struct FoundObstacle {
  let path: String
  let obstacle: Obstacle
  /// The type that it is in, if the test only uses that type.
  var type: String?
}

extension FunctionSummary {
  fileprivate func defaultValue(of name: String) -> [Token]? {
    parameters.first { $0.name == name }?.value
  }

  /// The arguments of a call, by the names that they have in the function.
  fileprivate func values(in call: Call) -> [String: [Token]] {
    var rest = call.arguments[...]
    var values: [String: [Token]] = [:]
    for parameter in parameters {
      guard let argument = rest.first, argument.label == parameter.label else { continue }
      rest.removeFirst()
      if !argument.tokens.isEmpty { values[parameter.name] = argument.tokens }
    }
    return values
  }
}
