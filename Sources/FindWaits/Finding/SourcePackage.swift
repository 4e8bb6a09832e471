/// All files that were read, joined.
struct SourcePackage: Sendable {
  let files: [FileSummary]
  /// The types of all files by their full names. Extensions add their bases to those of the type.
  private(set) var types: [String: JoinedType] = [:]
  /// The functions of test code that are no tests, by their names.
  private(set) var helpers: [String: [FunctionID]] = [:]
  /// What each function of test code calls, as far as the package declares it.
  private(set) var callees: [FunctionID: [Callee]] = [:]
  /// The functions that wait, by themselves or by what they call.
  private(set) var waiting: Set<FunctionID> = []
  private let productionFunctions: Set<String>
  /// Constants with one value in the whole package.
  private let constants: [String: [Token]]

  struct FunctionID: Hashable, Sendable {
    let file: Int
    let function: Int
  }

  struct Callee: Sendable {
    let call: Call
    let target: FunctionID
  }

  struct JoinedType: Sendable {
    var bases: [String] = []
    var isSimulated = false
    var isDeclared = false
    /// In test code.
    var mentions: Set<String> = []
    /// The head of the class with another base.
    var head: Replacement?
    /// The first obstacle of each kind.
    var obstacles: [(path: String, obstacle: Obstacle)] = []
    var isTestCode = false
    var constants: [String: [Token]] = [:]
  }

  init(_ files: [FileSummary]) {
    self.files = files
    productionFunctions = files.reduce(into: []) { $0.formUnion($1.productionFunctions) }
    var values: [String: [[Token]]] = [:]
    for file in files {
      for (name, list) in file.constants { values[name, default: []] += list }
    }
    constants = values.compactMapValues { list in
      let texts = Set(list.map { $0.map(\.text) })
      return texts.count == 1 ? list[0] : nil
    }
    for file in files { add(file) }
    for (index, file) in files.enumerated() {
      for (number, function) in file.functions.enumerated() where !isTest(function) {
        helpers[function.name, default: []].append(FunctionID(file: index, function: number))
      }
    }
    resolveCalls()
  }

  private mutating func resolveCalls() {
    var callers: [FunctionID: [FunctionID]] = [:]
    var new: [FunctionID] = []
    for (index, file) in files.enumerated() {
      for (number, function) in file.functions.enumerated() {
        let id = FunctionID(file: index, function: number)
        if !function.waits.isEmpty { new.append(id) }
        for call in function.calls where helpers[call.name] != nil {
          for target in targets(of: call, in: function) where target != id {
            callees[id, default: []].append(Callee(call: call, target: target))
            callers[target, default: []].append(id)
          }
        }
      }
    }
    while let id = new.popLast() {
      if waiting.insert(id).inserted { new += callers[id] ?? [] }
    }
  }

  private mutating func add(_ file: FileSummary) {
    for type in file.types {
      var joined = types[type.name] ?? JoinedType()
      joined.bases += type.bases
      joined.isSimulated = joined.isSimulated || type.isSimulated
      joined.mentions.formUnion(type.mentions)
      if type.kind != .extension {
        joined.isDeclared = true
        joined.isTestCode = file.isTestCode
        if let head = type.simulatedHead { joined.head = head }
      }
      types[type.name] = joined
    }
    for (owner, values) in file.typeConstants {
      types[owner, default: JoinedType()].constants.merge(values) { first, _ in first }
    }
    for (owner, list) in file.obstacles where !owner.isEmpty {
      guard let first = list.first else { continue }
      types[owner, default: JoinedType()].obstacles.append((file.path, first))
    }
  }

  func function(_ id: FunctionID) -> FunctionSummary { files[id.file].functions[id.function] }

  func path(_ id: FunctionID) -> String { files[id.file].path }

  /// A constant of a function, of its file, or of the package if all of that name are equal.
  func constant(_ name: String, in id: FunctionID) -> [Token]? {
    if let value = function(id).constants[name] { return value }
    if let owner = function(id).owner {
      for type in [owner] + ancestors(of: owner) {
        if let value = types[type]?.constants[name] { return value }
      }
    }
    if let list = files[id.file].constants[name], Set(list.map { $0.map(\.text) }).count == 1 {
      return list[0]
    }
    return constants[name]
  }

  // MARK: Tests

  /// How a test is declared.
  enum Framework: String, Sendable {
    case swiftTesting = "Swift Testing", xctest = "XCTest", quick = "Quick"
  }

  func framework(of function: FunctionSummary) -> Framework? {
    if function.test != nil { return .swiftTesting }
    guard let owner = function.owner, !function.isPrivate else { return nil }
    if function.name.hasPrefix("test"), !function.isStatic, function.parameters.isEmpty,
      isTestCase(owner)
    {
      return .xctest
    }
    if function.name == "spec", inherits(owner, from: ["QuickSpec", "AsyncSpec"]) { return .quick }
    return nil
  }

  private func isTest(_ function: FunctionSummary) -> Bool { framework(of: function) != nil }

  /// The classes and protocols of a type, and theirs, as far as the package declares them.
  func ancestors(of type: String) -> [String] {
    var result: [String] = []
    var next = types[type]?.bases ?? []
    while let base = next.popLast() {
      guard !result.contains(base) else { continue }
      result.append(base)
      next += types[base]?.bases ?? []
    }
    return result
  }

  /// The class among a type and its ancestors that is a subclass of `XCTestCase` itself.
  func baseClass(of type: String) -> String? {
    ([type] + ancestors(of: type)).first { types[$0]?.head != nil }
  }

  private func inherits(_ type: String, from names: Set<String>) -> Bool {
    names.contains(type) || ancestors(of: type).contains(where: names.contains)
  }

  private static let simulatedCases: Set = ["SimulatedTestCase", "ExploredTestCase"]

  /// Whether it is a subclass of `XCTestCase`, or of a class of another package that is called like one.
  func isTestCase(_ type: String) -> Bool {
    let ancestors = [type] + ancestors(of: type)
    if ancestors.contains("QuickSpec") || ancestors.contains("AsyncSpec") { return false }
    return ancestors.contains { name in
      name == "XCTestCase" || Self.simulatedCases.contains(name)
        || types[name]?.isDeclared != true
          && (name.hasSuffix("TestCase") || name.hasSuffix("Tests"))
          && name != type
    }
  }

  /// Whether a test runs in a simulation already.
  func isSimulated(_ function: FunctionSummary) -> Bool {
    if function.test?.isSimulated == true { return true }
    guard let owner = function.owner else { return false }
    if inherits(owner, from: Self.simulatedCases) { return true }
    // A suite's trait holds for the suites in it.
    var name = owner
    while true {
      if types[name]?.isSimulated == true { return true }
      guard let point = name.lastIndex(of: ".") else { return false }
      name = String(name[..<point])
    }
  }

  // MARK: Helpers

  /// The functions of test code that a call means; none if another function may be meant.
  private func targets(of call: Call, in caller: FunctionSummary) -> [FunctionID] {
    guard let named = helpers[call.name] else { return [] }
    let fitting = named.filter { function($0).accepts(call) }
    switch call.receiver {
    case .own:
      let own = caller.owner.map { [$0] + ancestors(of: $0) + outer(of: $0) } ?? []
      let isCase = caller.owner.map(isTestCase) ?? false
      let members = fitting.filter { id in
        guard let owner = function(id).owner else { return false }
        return own.contains(owner) || isCase && owner == "XCTestCase"
      }
      return members.isEmpty ? fitting.filter { function($0).owner == nil } : members
    case .type(let type):
      return fitting.filter { function($0).owner == type && function($0).isStatic }
    case .value(let type?):
      let types = [type] + ancestors(of: type)
      return fitting.filter { id in function(id).owner.map(types.contains) ?? false }
    case .value(nil):
      let members = fitting.filter { function($0).owner != nil && !function($0).isStatic }
      guard !productionFunctions.contains(call.name),
        Set(members.map { function($0).owner }).count == 1
      else { return [] }
      return members
    }
  }

  private func outer(of type: String) -> [String] {
    var names: [String] = []
    var name = type
    while let point = name.lastIndex(of: ".") {
      name = String(name[..<point])
      names.append(name)
    }
    return names
  }

  /// The functions that the framework calls around a test.
  func fixtures(of test: FunctionSummary, _ framework: Framework) -> [FunctionID] {
    guard let owner = test.owner else { return [] }
    let names: [String]
    switch framework {
    case .swiftTesting: names = ["init", "deinit"]
    case .xctest: names = ["setUp", "setUpWithError", "tearDown", "tearDownWithError"]
    case .quick: return []
    }
    let owners = [owner] + (framework == .xctest ? ancestors(of: owner) : [])
    return names.flatMap { name in
      (helpers[name] ?? []).filter { id in
        let function = function(id)
        return function.owner.map(owners.contains) == true && !function.isStatic
          && function.parameters.isEmpty
      }
    }
  }
}

extension FunctionSummary {
  /// Whether a call's labels fit: parameters with a default value and trailing closures may be missing.
  fileprivate func accepts(_ call: Call) -> Bool {
    var rest = call.arguments[...]
    var missing = 0
    for parameter in parameters {
      if let argument = rest.first, argument.label == parameter.label {
        rest.removeFirst()
      } else if parameter.value == nil {
        missing += 1
      }
    }
    // A variadic parameter takes the rest.
    let isVariadic = rest.allSatisfy { $0.label == nil } && !parameters.isEmpty
    return (rest.isEmpty || isVariadic) && missing <= (call.hasTrailingClosure ? 2 : 0)
  }
}
