#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// The stored property at an offset in a value: `.state.loaded`.
  struct FieldPath {
    var text = ""
    /// Whether the property is a closure.
    var isClosure = false

    init(text: String) { self.text = text }

    init(to offset: Int, in type: TypeMetadata, at address: UInt) {
      descend(to: offset, in: type, at: address, depth: 0)
    }

    static func + (text: String, path: FieldPath) -> FieldPath {
      var path = path
      path.text = text + path.text
      return path
    }

    private mutating func descend(
      to offset: Int, in type: TypeMetadata, at address: UInt, depth: Int
    ) {
      guard depth < 16 else { return }
      switch type.kind {
      case .class where depth > 0: return
      case .class, .struct, .tuple:
        let fields = StoredField.all(of: type)
        let isObserved = fields.contains { $0.name == "_$observationRegistrar" }
        let field = fields.last { $0.offset <= offset && offset < $0.end }
        guard let field else { return }
        if type.kind == .tuple || !HeapObject.isForeign(type) {
          // Reflection names an unlabelled element of a tuple `.0`.
          let name = Self.readable(field.name, isObserved: isObserved)
          text += name.hasPrefix(".") ? name : ".\(name)"
        }
        descend(
          to: offset - field.offset, in: field.type, at: address + UInt(field.offset),
          depth: depth + 1)
      case .enum, .optional:
        guard let tag = tag(of: type, at: address) else { return }
        let payloads = type.payloads
        guard tag < payloads.count else { return }
        if type.kind == .enum, !HeapObject.isOurs(type) { text += ".\(payloads[tag].name)" }
        guard let payload = payloads[tag].type, !payloads[tag].isIndirect else { return }
        descend(to: offset, in: payload, at: address, depth: depth + 1)
      case .existential where !type.isClassBound:
        guard let word = HeapWalk.word(at: address + 24), offset < 24 else { return }
        let value = TypeMetadata(address: word)
        // A value that does not fit lies in a box, which is the next step of the path.
        guard value.isValue, value.size <= 24, value.kind != .class else { return }
        descend(to: offset, in: value, at: address, depth: depth + 1)
      case .function: isClosure = true
      default: return
      }
    }

    private func tag(of type: TypeMetadata, at address: UInt) -> Int? {
      guard type.size <= 1024, let copy = HeapWalk.bytes(at: address, count: type.size) else {
        return nil
      }
      return withUnsafeTemporaryAllocation(byteCount: max(type.size, 8), alignment: 16) { buffer in
        buffer.copyBytes(from: copy)
        return Int(sleepless_project_enum(type.pointer, buffer.baseAddress))
      }
    }

    /// The name as the program's source spells it.
    private static func readable(_ name: String, isObserved: Bool) -> String {
      let lazyPrefix = "$__lazy_storage_$_"
      if name.hasPrefix(lazyPrefix) { return String(name.dropFirst(lazyPrefix.count)) }
      if isObserved, name.hasPrefix("_") { return String(name.dropFirst()) }
      return name
    }
  }
#endif
