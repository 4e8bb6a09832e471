#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// A mangled type name in reflection's data.
  struct MangledType {
    private let start: UnsafeRawPointer
    private let length: Int

    private init(start: UnsafeRawPointer, length: Int) {
      self.start = start
      self.length = length
    }

    init(at start: UnsafeRawPointer) {
      self.start = start
      var length = 0
      while case let byte = start.loadUnaligned(fromByteOffset: length, as: UInt8.self), byte != 0 {
        length += Self.step(over: byte)
      }
      self.length = length
    }

    /// How a value of a function's type lies in memory.
    enum FunctionForm {
      /// A pointer to code, and a reference to what the function captures.
      case closure
      /// A pointer to a block, as in C.
      case block
      /// A pointer to code.
      case code
    }

    /// Nil if it is not the name of a captured function's type: `…Ieg_`, `…IeyB_`, `…IetC_`.
    ///
    /// The letters are those of `impl-function-type` in the compiler's `docs/ABI/Mangling.rst`. They begin with `I`.
    /// Another `I` among them marks an isolated parameter, as in `…IegHgIL_`, and one before them belongs to a type.
    var functionForm: FunctionForm? {
      guard ends(with: "_") else { return nil }
      var first = length - 1
      while first > 0, case let byte = byte(at: first - 1), byte & 0x5f >= 0x41, byte & 0x5f <= 0x5a
      {
        first -= 1
      }
      let letters = String(
        decoding: UnsafeRawBufferPointer(start: start + first, count: length - 1 - first),
        as: UTF8.self)
      let marks = letters.indices.reversed().filter { letters[$0] == "I" }
      return marks.lazy.compactMap { Self.functionForm(letters[$0...]) }.first
    }

    private static func functionForm(_ letters: Substring) -> FunctionForm? {
      let attributes =
        #/
        Is?I?P?e?[AN]?[dlfr]?([ygxt])(z?[BCMJKW])?[AIG]?h?H?T?
        (?:[icblnXxgeyvpm]w?T?I?L?)*  # parameters
        (?:[rodualkgm]w?)*(?:Y[icblnXxgeyvpm])*(?:z[rodualkgm]w?)?  # results, what it yields, the error
        /#
      guard let match = letters.wholeMatch(of: attributes) else { return nil }
      if match.2?.last == "B" { return .block }
      return match.2 != nil || match.1 == "t" ? .code : .closure
    }

    private func byte(at index: Int) -> UInt8 {
      start.loadUnaligned(fromByteOffset: index, as: UInt8.self)
    }

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
        let byte = byte(at: index)
        if previous == UInt8(ascii: "X"), byte == UInt8(ascii: "B") { return index + 1 < length }
        previous = byte
        let identifier = identifierLength(at: index)
        index += identifier > 0 ? identifier : Self.step(over: byte)
      }
      return false
    }

    /// Whether it is the name of an optional block: a pointer to a block, or null.
    var isOptionalBlock: Bool { ends(with: "XBSg") }

    /// The length of an identifier with its number, `4name`; 0 if none begins here.
    private func identifierLength(at start: Int) -> Int {
      var (index, count) = (start, 0)
      while index < length, case let digit = Int(byte(at: index)) - 0x30, (0...9).contains(digit) {
        count = min(count * 10 + digit, length)
        index += 1
      }
      return count > 0 ? index - start + count : 0
    }

    /// A symbolic reference is a control character and an address.
    private static func step(over byte: UInt8) -> Int { byte < 0x18 ? 5 : byte < 0x20 ? 9 : 1 }

    /// The name, if it refers to nothing.
    var text: String? {
      let bytes = UnsafeRawBufferPointer(start: start, count: length)
      return bytes.allSatisfy { $0 >= 0x20 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Whether it is the name of a variable shared by closures, `…Xx`, or `…XX` in generic code.
    var isBox: Bool { ends(with: "Xx") || ends(with: "XX") }

    private func ends(with end: StaticString) -> Bool {
      let count = end.utf8CodeUnitCount
      return length > count
        && (0..<count).allSatisfy { index in
          byte(at: length - count + index) == end.utf8Start[index]
        }
    }

    /// Whether the reference is `weak`, `unowned` or `unowned(unsafe)`.
    var isWeak: Bool {
      ends(with: "Xw") || ends(with: "Xo") || ends(with: "Xu")
    }

    /// The name without the mark of a weak or unowned reference.
    var withoutReferenceMark: MangledType { MangledType(start: start, length: length - 2) }

    /// Whether it is the name of a class or of a generic parameter, maybe of an optional one. A reference to such an
    /// object takes one word; to an object known by protocols it takes another word for each of them.
    var isOneWord: Bool {
      let name = ends(with: "Sg") ? MangledType(start: start, length: length - 2) : self
      return name.isClass || name.isGenericClass || GenericParameter(name) != nil
    }

    /// Whether it is only a reference to a class's descriptor.
    private var isClass: Bool {
      guard length == 5, let descriptor else { return false }
      return descriptor.loadUnaligned(as: UInt32.self) & 0x1f == 16
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
