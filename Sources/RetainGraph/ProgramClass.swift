/// Tells the program's own classes from those of libraries.
package enum ProgramClass {
  /// The name of the program's class whose objects begin with this word; nil for other classes.
  ///
  /// A library's class may keep objects as it likes. Nil also where classes cannot be told apart.
  package static func name(ofMetadata metadata: UInt) -> String? {
    #if os(Linux) && _pointerBitWidth(_64)
      let type = TypeMetadata(address: metadata)
      return HeapObject.isForeign(type) ? nil : String(describing: type.type)
    #else
      return nil
    #endif
  }
}
