#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// A stored property of a structure or class (inherited properties first), or an element of a
  /// tuple.
  struct StoredField {
    let name: String
    let offset: Int
    let type: TypeMetadata
    /// Whether the reference is neither weak nor unowned.
    let isStrong: Bool
    /// The size in bytes if the type is not known, otherwise 0.
    ///
    /// Reflection reports types that are not copyable as `()`, so that `Mirror` does not copy them. It stops the
    /// program for a type that contains a block as in C.
    private(set) var unknownSize = 0

    /// The offset after its last byte.
    var end: Int { offset + max(type.size, unknownSize, 1) }

    static func all(of type: TypeMetadata) -> [StoredField] {
      let metatype = type.type
      let count = recursiveCount(metatype)
      let records = records(of: type)
      var fields = (0..<count).map { index in
        if records.count == count, records[index].type.containsBlock {
          return StoredField(
            name: records[index].name, offset: recursiveChildOffset(metatype, index),
            type: records[index].type.isOptionalBlock ? .block : TypeMetadata(Void.self),
            isStrong: true)
        }
        var record = Record()
        let field = recursiveChildMetadata(metatype, index, &record)
        let name = record.name.map { String(cString: $0) } ?? ""
        record.free?(record.name)
        return StoredField(
          name: name, offset: recursiveChildOffset(metatype, index), type: TypeMetadata(field),
          isStrong: record.isStrong)
      }
      let end = type.kind == .class ? type.instanceSize : type.size
      for index in fields.indices where fields[index].type.type == Void.self {
        let next = fields.dropFirst(index + 1).map(\.offset).first { $0 > fields[index].offset }
        fields[index].unknownSize = max(0, (next ?? end) - fields[index].offset)
      }
      return fields
    }

    /// The descriptions of the properties, inherited ones first.
    private static func records(of type: TypeMetadata) -> [TypeMetadata.FieldRecord] {
      (type.parent.map(records) ?? []) + (type.fieldRecords ?? [])
    }
  }

  // The standard library's own reflection calls these functions for `Mirror` and `_forEachField`.
  // `_forEachField` does not distinguish weak from strong.

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
