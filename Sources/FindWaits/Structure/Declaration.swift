/// `@Test(.simulated)`, `@MainActor` and the like.
struct Attribute: Sendable {
  let name: String
  /// From `@` to the last bracket.
  let tokens: Range<Int>
}

/// A type, or an extension of one, as far as its source tells.
struct TypeDeclaration: Sendable {
  enum Kind: String, Sendable { case `class`, `struct`, `enum`, `actor`, `protocol`, `extension` }

  let kind: Kind
  /// With the types around it: `CartTests.Paying`.
  let name: String
  /// Superclasses and protocols.
  let bases: [String]
  let attributes: [Attribute]
  let line: Int
  /// Between its braces.
  let body: Range<Int>
}

/// A function, an initialiser, a deinitialiser or an accessor, with its body.
struct FunctionDeclaration: Sendable {
  struct Parameter: Sendable {
    /// Nil for an underscore.
    let label: String?
    let name: String
    /// The tokens of its type.
    let type: Range<Int>
    /// The tokens of its default value.
    let value: Range<Int>?
  }

  let name: String
  let parameters: [Parameter]
  let attributes: [Attribute]
  let modifiers: Set<String>
  let isAsync: Bool
  let line: Int
  /// The full name of the type around it.
  let owner: String?
  /// Between its braces; empty for a requirement of a protocol.
  let body: Range<Int>
}

/// `let limit = 0.5`, of a type or of the file.
struct MemberDeclaration: Sendable {
  let name: String
  let owner: String?
  /// The tokens of its type and its value.
  let tokens: Range<Int>
}
