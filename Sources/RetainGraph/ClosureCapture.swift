#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// A value that a closure captures. Reflection lists the types in order.
  struct ClosureCapture {
    let offset: Int
    let type: TypeMetadata
    let isStrong: Bool

    /// Nil where reflection does not describe the captures, as in generic code.
    static func all(of metadata: TypeMetadata) -> [ClosureCapture]? {
      guard let descriptor = UnsafeRawPointer(bitPattern: metadata.word(2)) else { return nil }
      let count = Int(descriptor.loadUnaligned(as: UInt32.self))
      // The layout of captures in generic code depends on the generic arguments.
      guard descriptor.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == 0,
        descriptor.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == 0, count < 256
      else { return nil }
      var offset = Int(UInt32(truncatingIfNeeded: metadata.word(1)))
      guard offset >= 16 else { return nil }
      var captures: [ClosureCapture] = []
      for index in 0..<count {
        let name = MangledType(at: (descriptor + 12).target(index * 4))
        if name.isWeak || name.isFunction || name.isBox {
          // There is no metadata for these types.
          offset = (offset + 7) & ~7
          let reference = TypeMetadata(AnyObject.self)
          captures.append(
            ClosureCapture(
              offset: name.isFunction ? offset + 8 : offset, type: reference,
              isStrong: !name.isWeak))
          offset += name.isFunction ? 16 : 8
          continue
        }
        guard let type = name.metadata(nil, nil), type.isValue else { return nil }
        offset = type.alignedOffset(from: offset)
        captures.append(ClosureCapture(offset: offset, type: type, isStrong: true))
        offset += type.size
      }
      return captures
    }
  }
#endif
