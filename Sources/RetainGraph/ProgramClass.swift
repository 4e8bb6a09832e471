/// Names the classes that belong to the program: not to Swift's libraries, XCTest or Sleepless.
package enum ProgramClass {
  /// The name of the class with this metadata, the first word of its objects; nil if the class is not the
  /// program's.
  ///
  /// A library may keep objects of its own classes for as long as it likes. The name is also nil on systems
  /// where classes cannot be told apart.
  package static func name(ofMetadata metadata: UInt) -> String? {
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
      let type = TypeMetadata(address: metadata)
      return HeapObject.isForeign(type) ? nil : String(describing: type.type)
    #else
      return nil
    #endif
  }
}
