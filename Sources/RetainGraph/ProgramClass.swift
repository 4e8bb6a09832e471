/// Tells the program's own classes from those of libraries.
package enum ProgramClass {
  /// The name of the program's class whose objects begin with this word; nil for other classes.
  ///
  /// A library may keep objects of its own classes for as long as it likes. Also nil where the classes of
  /// the program cannot be recognised.
  package static func name(ofMetadata metadata: UInt) -> String? {
    #if os(Linux) && _pointerBitWidth(_64)
      let type = TypeMetadata(address: metadata)
      return HeapObject.isForeign(type) ? nil : String(describing: type.type)
    #else
      return nil
    #endif
  }
}
