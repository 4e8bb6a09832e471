/// What the join of all files needs to know of one. Its tokens are not kept: ten thousand files have too many.
struct FileSummary: Sendable {
  let path: String
  /// Whether it belongs to a test target, as far as its place and its imports tell.
  let isTestCode: Bool
  /// Whether a program has written it.
  let isGenerated: Bool
  private(set) var types: [TypeSummary] = []
  /// A library of servers or clients that a test file imports.
  let networkLibrary: String?
  /// In test code only.
  private(set) var functions: [FunctionSummary] = []
  /// What simulations do not control, by the outermost type around it; the empty name is for global functions.
  private(set) var obstacles: [String: [Obstacle]] = [:]
  /// The initial values of constants that may be durations.
  private(set) var constants: [String: [[Token]]] = [:]
  /// Those of types, by their full names.
  private(set) var typeConstants: [String: [String: [Token]]] = [:]
  /// Functions of production code, which test code may call like its helpers.
  private(set) var productionFunctions: Set<String> = []

  init(_ file: SourceFile, pathInPackage: String) {
    path = file.path
    let imports = file.imports
    isGenerated = file.isGenerated
    networkLibrary = Self.networkLibraries.first(where: imports.contains)
    isTestCode = !imports.isDisjoint(with: Self.testLibraries) || pathInPackage.isInTestFolder
    let structure = StructureReader(file)
    types = structure.types.map { TypeSummary($0, file) }
    let members = Dictionary(grouping: structure.members) { $0.owner ?? "" }
    for member in structure.members { addConstant(member, file) }
    for function in structure.functions { add(function, members, file) }
    for (owner, list) in members { add(list, of: owner, file) }
  }

  static let testLibraries: Set = [
    "XCTest", "Testing", "Quick", "Nimble", "SleeplessTesting", "RxTest", "RxBlocking", "XCTVapor",
    "VaporTesting",
  ]

  private static let networkLibraries = [
    "NIOPosix", "NIOTransportServices", "AsyncHTTPClient", "XCTVapor", "VaporTesting",
    "HummingbirdTesting", "GRPCNIOTransportHTTP2",
  ]

  private mutating func add(
    _ function: FunctionDeclaration, _ members: [String: [MemberDeclaration]], _ file: SourceFile
  ) {
    var variables = Variables()
    for member in members[""] ?? [] { variables.add(member, in: file) }
    if let owner = function.owner {
      for member in members[owner] ?? [] { variables.add(member, in: file) }
    }
    variables.add(function.parameters, in: file)
    variables.add(function.body, in: file)
    let body = BodyReader(file, function.body, variables)
    guard isTestCode else {
      productionFunctions.insert(function.name)
      if !body.obstacles.isEmpty {
        obstacles[function.outermostType, default: []] += body.obstacles
      }
      return
    }
    functions.append(FunctionSummary(function, body, file))
    if !body.obstacles.isEmpty { obstacles[function.outermostType, default: []] += body.obstacles }
  }

  /// Closures and accessors of a type's variables may contain obstacles.
  private mutating func add(
    _ members: [MemberDeclaration], of owner: String, _ file: SourceFile
  ) {
    let outermost = owner.split(separator: ".").first.map(String.init) ?? ""
    var mentions: Set<String> = []
    for member in members {
      let body = BodyReader(file, member.tokens, Variables())
      mentions.formUnion(body.mentions)
      if !body.obstacles.isEmpty { obstacles[outermost, default: []] += body.obstacles }
    }
    guard isTestCode else { return }
    for index in types.indices where types[index].name == owner {
      types[index].mentions.formUnion(mentions)
    }
  }

  private mutating func addConstant(_ member: MemberDeclaration, _ file: SourceFile) {
    let tokens = file.tokens[member.tokens]
    guard member.tokens.count <= 16, let equals = tokens.firstIndex(where: { $0.isSign("=") }),
      equals + 1 < member.tokens.upperBound
    else { return }
    let value = Array(tokens[(equals + 1)...])
    constants[member.name, default: []].append(value)
    if let owner = member.owner { typeConstants[owner, default: [:]][member.name] = value }
  }
}

/// A type of test code, or the names of one of production code.
struct TypeSummary: Sendable {
  let kind: TypeDeclaration.Kind
  let name: String
  let bases: [String]
  let line: Int
  /// Its attributes or its base make its tests simulated.
  let isSimulated: Bool
  /// For a class, its head with `SimulatedTestCase` for `XCTestCase`.
  let simulatedHead: Replacement?
  /// The words in its variables that are spelt like types.
  var mentions: Set<String> = []

  init(_ type: TypeDeclaration, _ file: SourceFile) {
    kind = type.kind
    name = type.name
    bases = type.bases
    line = type.line
    isSimulated = type.attributes.contains { $0.name == "Suite" && file.isSimulating($0) }
    let head = file.tokens[..<type.body.lowerBound].lastIndex {
      $0.line == type.line && $0.startsLine
    }
    let base = (head ?? 0)..<type.body.lowerBound
    // A protocol can have the class as a base, too.
    let word = kind == .class ? base.first { file.tokens[$0].isWord("XCTestCase") } : nil
    simulatedHead = word.map {
      file.replacement(of: $0..<($0 + 1), by: "SimulatedTestCase")
    }
  }
}

/// A function of test code.
struct FunctionSummary: Sendable {
  struct Parameter: Sendable {
    let label: String?
    let name: String
    /// The tokens of its default value.
    let value: [Token]?
  }

  let name: String
  let parameters: [Parameter]
  /// The full name of the type around it.
  let owner: String?
  let isAsync: Bool
  let isStatic: Bool
  let isPrivate: Bool
  let line: Int
  /// For a test of Swift Testing, its attribute.
  let test: TestAttribute?
  let waits: [Wait]
  let calls: [Call]
  let obstacles: [Obstacle]
  let mentions: Set<String>
  /// The initial values of constants in its body.
  let constants: [String: [Token]]

  /// `@Test` with its traits.
  struct TestAttribute: Sendable {
    let isSimulated: Bool
    /// The attribute with the trait.
    let simulated: Replacement
  }

  init(_ function: FunctionDeclaration, _ body: BodyReader, _ file: SourceFile) {
    name = function.name
    parameters = function.parameters.map { parameter in
      Parameter(
        label: parameter.label, name: parameter.name,
        value: parameter.value.map { Array(file.tokens[$0]) })
    }
    owner = function.owner
    isAsync = function.isAsync
    isStatic = function.modifiers.contains("static") || function.modifiers.contains("class")
    isPrivate = function.modifiers.contains("private") || function.modifiers.contains("fileprivate")
    line = function.line
    test = function.attributes.first { $0.name == "Test" }.map { attribute in
      TestAttribute(
        isSimulated: file.isSimulating(attribute),
        simulated: file.replacement(of: attribute.tokens, by: file.simulated(attribute)))
    }
    waits = body.waits
    calls = body.calls
    obstacles = body.obstacles
    mentions = body.mentions
    constants = file.constants(in: function.body)
  }
}

extension FunctionDeclaration {
  fileprivate var outermostType: String {
    owner?.split(separator: ".").first.map(String.init) ?? ""
  }
}

extension SourceFile {
  /// The modules that it imports.
  fileprivate var imports: Set<String> {
    var modules: Set<String> = []
    for index in tokens.indices.dropLast() where tokens[index].isWord("import") {
      let isKind = ["class", "struct", "enum", "func", "protocol", "var", "let", "typealias"]
        .contains(
          tokens[index + 1].text)
      let module = index + (isKind ? 2 : 1)
      if module < tokens.count { modules.insert(tokens[module].text) }
    }
    return modules
  }

  /// Whether the arguments of `@Test` or `@Suite` have a trait that simulates.
  fileprivate func isSimulating(_ attribute: Attribute) -> Bool {
    tokens[attribute.tokens].contains { $0.isWord("simulated") || $0.isWord("explored") }
  }

  /// The source of `@Test` with the trait, behind its name for people.
  fileprivate func simulated(_ attribute: Attribute) -> String {
    let range = attribute.tokens
    guard let open = range.first(where: { tokens[$0].isSign("(") }) else {
      return source(of: range) + "(.simulated)"
    }
    let (place, text): (Int, String)
    if let first = arguments(in: (open + 1)..<partner(of: open)).first {
      let token = tokens[first.lowerBound].range
      let isName = first.count == 1 && tokens[first.lowerBound].kind == .string
      (place, text) =
        isName ? (token.upperBound, ", .simulated") : (token.lowerBound, ".simulated, ")
    } else {
      (place, text) = (tokens[open].range.upperBound, ".simulated")
    }
    let start = tokens[range.lowerBound].range.lowerBound
    return string(start..<place) + text + string(place..<tokens[range.last!].range.upperBound)
  }

  /// The constants that a function declares with a short value.
  fileprivate func constants(in body: Range<Int>) -> [String: [Token]] {
    var constants: [String: [Token]] = [:]
    for index in body where tokens[index].isWord("let") {
      guard index + 3 < body.upperBound, tokens[index + 1].isName,
        let equals = ((index + 2)..<min(index + 8, body.upperBound)).first(where: {
          tokens[$0].isSign("=")
        })
      else { continue }
      var end = equals + 1
      while end < body.upperBound, end < equals + 16, end == equals + 1 || !tokens[end].startsLine {
        end += 1
      }
      constants[tokens[index + 1].text] = Array(tokens[(equals + 1)..<end])
    }
    return constants
  }
}

extension String {
  /// Whether a folder of the path is called as folders of tests are.
  fileprivate var isInTestFolder: Bool {
    utf8.split(separator: UInt8(ascii: "/")).dropLast().contains { folder in
      let name = String(Substring(folder))
      return name.hasSuffix("Tests") || name == "Test" || name.hasSuffix("TestSupport")
        || name.hasSuffix("TestHelpers") || name.hasSuffix("TestUtils")
    }
  }
}
