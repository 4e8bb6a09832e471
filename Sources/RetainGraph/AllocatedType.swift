/// The type of an object in memory, by the name that a program's author knows it by.
package struct AllocatedType: Hashable, Sendable {
  package let name: String
  /// Whether it is a class of the program: not of Swift's libraries, XCTest or Sleepless.
  package let isOfProgram: Bool
  /// Whether the name does not tell one from another: a closure or a boxed value.
  package let isAnonymous: Bool

  /// The types among words that may be the first ones of objects, by these words.
  ///
  /// Without what test frameworks and this package's testing modules keep for themselves, and on systems where types
  /// cannot be told apart without any.
  package static func all(in words: Set<UInt>) -> [UInt: AllocatedType] {
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
      HeapWalk.run(onSnapshot: false) { _ in
        var types: [UInt: AllocatedType] = [:]
        for word in words where word > 0x10000 && word >> 47 == 0 && word & 7 == 0 {
          types[word] = AllocatedType(TypeMetadata(address: word))
        }
        return types
      }
    #else
      [:]
    #endif
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
    /// Nil for memory that is no object, and for types that are left out.
    private init?(_ metadata: TypeMetadata) {
      let kind = metadata.heapKind
      isAnonymous = kind == .closure
      switch kind {
      case .class:
        isOfProgram = !HeapObject.isForeign(metadata)
        guard isOfProgram || !Self.isOfTests(_typeName(metadata.type, qualified: true)) else {
          return nil
        }
        name = HeapObject.name(of: metadata)
      // To the runtime a box of a type that the compiler knew is also a closure.
      case .closure:
        name = "closure or boxed value"
        isOfProgram = false
      case .box:
        name = "value of type \(TypeMetadata(address: metadata.word(2)).type)"
        isOfProgram = false
      case .error:
        name = "error"
        isOfProgram = false
      default: return nil
      }
    }

    private static let testModules: Set<Substring> = [
      "XCTest", "Testing", "VirtualTime", "RetainGraph", "SleeplessSimulation", "SleeplessTesting",
    ]

    /// Whether a type, or one of its generic arguments, belongs to a module that runs tests.
    private static func isOfTests(_ qualifiedName: String) -> Bool {
      qualifiedName.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
        .contains { testModules.contains($0.prefix { $0 != "." }) }
    }
  #endif
}
