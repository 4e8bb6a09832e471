#if os(Linux) && _pointerBitWidth(_64)
  /// A stored property of a structure, an element of a tuple, or a class's, inherited ones first.
  struct StoredField {
    let name: String
    let offset: Int
    let type: TypeMetadata
    /// Whether it is neither weak nor unowned.
    let isStrong: Bool

    static func all(of type: TypeMetadata) -> [StoredField] {
      let metatype = type.type
      return (0..<recursiveCount(metatype)).map { index in
        var record = Record()
        let field = recursiveChildMetadata(metatype, index, &record)
        let name = record.name.map { String(cString: $0) } ?? ""
        record.free?(record.name)
        return StoredField(
          name: name, offset: recursiveChildOffset(metatype, index), type: TypeMetadata(field),
          isStrong: record.isStrong)
      }
    }
  }

  // The standard library's own reflection calls these, for `Mirror` and for `_forEachField`, which
  // does not tell weak from strong.

  private struct Record {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
  }

  @_silgen_name("swift_reflectionMirror_recursiveCount")
  private func recursiveCount(_ type: Any.Type) -> Int

  @_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
  private func recursiveChildMetadata(
    _ type: Any.Type, _ index: Int, _ record: UnsafeMutablePointer<Record>
  ) -> Any.Type

  @_silgen_name("swift_reflectionMirror_recursiveChildOffset")
  private func recursiveChildOffset(_ type: Any.Type, _ index: Int) -> Int
#endif
