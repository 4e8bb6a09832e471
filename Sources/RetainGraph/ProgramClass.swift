/// Classes of the program's own, as opposed to those of libraries.
package enum ProgramClass {
  /// The name of the class whose objects begin with that word; nil for classes of libraries, which keep
  /// what they like, and where classes cannot be told apart.
  package static func name(ofMetadata metadata: UInt) -> String? {
    #if os(Linux) && _pointerBitWidth(_64)
      let type = TypeMetadata(address: metadata)
      return HeapObject.isForeign(type) ? nil : String(describing: type.type)
    #else
      return nil
    #endif
  }
}
