#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// A mangled type name in reflection's data.
  struct MangledType {
    private let start: UnsafeRawPointer
    private let length: Int

    init(at start: UnsafeRawPointer) {
      self.start = start
      var length = 0
      while case let byte = start.loadUnaligned(fromByteOffset: length, as: UInt8.self), byte != 0 {
        length += Self.step(over: byte)
      }
      self.length = length
    }

    /// Whether it is the name of a closure's type after optimisation, `…Ieg_`.
    var isFunction: Bool { ends(with: "_") && GenericParameter(self) == nil }

    /// Whether it is the name of a generic class with its arguments: a reference to the class, `y…G`.
    var isGenericClass: Bool {
      guard ends(with: "G"), let descriptor else { return false }
      return descriptor.loadUnaligned(as: UInt32.self) & 0x1f == 16
    }

    /// What the name refers to at its start, such as a type's descriptor; nil if it begins with letters.
    private var descriptor: UnsafeRawPointer? {
      guard length > 4 else { return nil }
      let target = (start + 1).target(0)
      switch start.load(as: UInt8.self) {
      case 1: return target
      case 2: return UnsafeRawPointer(bitPattern: target.loadUnaligned(as: UInt.self))
      default: return nil
      }
    }

    /// Whether it is the name of a type with a block in it, as in C: an optional block, `…XBSg`.
    ///
    /// On Linux the runtime cannot make the metadata of such a type, and stops the program. It can make that of the
    /// block alone, `…XB`.
    var containsBlock: Bool {
      var previous: UInt8 = 0
      var index = 0
      while index < length {
        let byte = start.loadUnaligned(fromByteOffset: index, as: UInt8.self)
        if previous == UInt8(ascii: "X"), byte == UInt8(ascii: "B") { return index + 1 < length }
        previous = byte
        index += Self.step(over: byte)
      }
      return false
    }

    /// A symbolic reference is a control character and an address.
    private static func step(over byte: UInt8) -> Int { byte < 0x18 ? 5 : byte < 0x20 ? 9 : 1 }

    /// The name, if it refers to nothing.
    var text: String? {
      let bytes = UnsafeRawBufferPointer(start: start, count: length)
      return bytes.allSatisfy { $0 >= 0x20 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether it is the name of a variable shared by closures, `…Xx`.
    var isBox: Bool { ends(with: "Xx") }

    private func ends(with end: StaticString) -> Bool {
      let count = end.utf8CodeUnitCount
      return length > count
        && (0..<count).allSatisfy { index in
          start.loadUnaligned(fromByteOffset: length - count + index, as: UInt8.self)
            == end.utf8Start[index]
        }
    }

    /// Whether the reference is `weak`, `unowned` or `unowned(unsafe)`.
    var isWeak: Bool {
      ends(with: "Xw") || ends(with: "Xo") || ends(with: "Xu")
    }

    func metadata(
      _ context: UnsafeRawPointer?, _ arguments: UnsafeRawPointer?
    ) -> TypeMetadata? {
      _getTypeByMangledNameInContext(
        start.assumingMemoryBound(to: UInt8.self), UInt(length), genericContext: context,
        genericArguments: arguments
      ).map(TypeMetadata.init)
    }

    func metadata(
      environment: UnsafeRawPointer?, arguments: UnsafeRawPointer?
    ) -> TypeMetadata? {
      _getTypeByMangledNameInEnvironment(
        start.assumingMemoryBound(to: UInt8.self), UInt(length), genericEnvironment: environment,
        genericArguments: arguments
      ).map(TypeMetadata.init)
    }
  }
#endif
