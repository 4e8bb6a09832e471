import Testing

@testable import FindWaits

@Suite struct StructureReaderTests {
  @Test(arguments: [
    ("class A: B, C {}", "class A: B C"),
    ("final public class A<T: B>: D<T> where T: E {}", "class A: D"),
    ("extension A.B: C {}", "extension A.B: C"), ("actor A {}", "actor A: "),
    ("class A: @unchecked Sendable, Module.B {}", "class A: Sendable B"),
    ("enum A: Int { case b, c }", "enum A: Int"),
  ])
  func `a type has its name and its bases`(text: String, type: String) throws {
    let found = try structure(text).types
    #expect(found.map { "\($0.kind) \($0.name): \($0.bases.joined(separator: " "))" } == [type])
  }

  @Test func `an import of a type declares none`() throws {
    let text = "import struct A.B\n@testable import class C.D\nstruct E { func f() {} }"
    #expect(try structure(text).types.map(\.name) == ["E"])
    #expect(names(try structure(text)) == ["E.f"])
  }

  @Test func `a type in a type has both names`() throws {
    let text = "struct A { struct B { func c() {} }\n class func d() {} }\nfunc e() {}"
    #expect(try structure(text).types.map(\.name) == ["A", "A.B"])
    #expect(names(try structure(text)) == ["A.B.c", "A.d", "e"])
  }

  @Test func `a requirement of a protocol has no body`() throws {
    let text = "protocol A {\n  func b()\n  func c() async\n}\nfunc d() { e() }"
    #expect(try structure(text).functions.map(\.body.count) == [0, 0, 3])
  }

  @Test func `parameters have labels, names and default values`() throws {
    let text = "func a(_ b: Int, c d: @escaping (Int, Int) -> Void, e: [Int] = [1, 2]) {}"
    let parameters = try #require(try structure(text).functions.first).parameters
    #expect(parameters.map(\.label) == [nil, "c", "e"])
    #expect(parameters.map(\.name) == ["b", "d", "e"])
    #expect(parameters.map { $0.value != nil } == [false, false, true])
  }

  @Test func `attributes belong to the next declaration`() throws {
    let text = "@Suite(.serialized) @MainActor struct A { @Test(arguments: [1]) func b(c: Int) {} }"
    let found = try structure(text)
    #expect(found.types.flatMap { $0.attributes.map(\.name) } == ["Suite", "MainActor"])
    #expect(found.functions.flatMap { $0.attributes.map(\.name) } == ["Test"])
  }

  @Test func `functions follow variables with closures and accessors`() throws {
    let text = """
      class A {
        let b = { 1 }()
        var c: Int { get { 1 } set {} }
        lazy var d: [Int] = []
          .map { $0 }
        init?(e: Int) throws {}
        deinit {}
        func `f g`() async throws -> Int { 1 }
      }
      """
    #expect(names(try structure(text)) == ["A.init", "A.deinit", "A.f g"])
    #expect(try structure(text).members.map(\.name) == ["b", "c", "d"])
  }

  private func structure(_ text: String) throws -> StructureReader {
    StructureReader(try SourceFile(path: "A.swift", text: Array(text.utf8)))
  }

  private func names(_ structure: StructureReader) -> [String] {
    structure.functions.map { [$0.owner, $0.name].compactMap(\.self).joined(separator: ".") }
  }
}
