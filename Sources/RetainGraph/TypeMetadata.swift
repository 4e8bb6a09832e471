#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// The runtime's metadata of a type, or of a kind of heap object.
  ///
  /// The format is stable on Linux too, because libraries and the runtime depend on it. The offsets
  /// come from https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst, the kinds
  /// from the compiler's `MetadataKind.def`. Check an address from the heap with ``isValue`` or
  /// ``heapKind`` before any other access.
  package struct TypeMetadata: Hashable {
    let address: UInt

    package init(address: UInt) { self.address = address }

    /// A type from reflection. The runtime completes its metadata if no code has used the type yet.
    package init(_ type: Any.Type) {
      address = unsafeBitCast(type, to: UInt.self)
      sleepless_complete_type(pointer)
    }

    var pointer: UnsafeRawPointer { UnsafeRawPointer(bitPattern: address)! }
    var type: Any.Type { unsafeBitCast(address, to: Any.Type.self) }

    enum Kind: UInt {
      case `class` = 0
      case `struct` = 0x200
      case `enum` = 0x201
      case optional = 0x202
      case opaque = 0x300
      case tuple = 0x301
      case function = 0x302
      case existential = 0x303
      case metatype = 0x304
      case existentialMetatype = 0x306
      case extendedExistential = 0x307
      case fixedArray = 0x308
      case closure = 0x400
      case box = 0x500
      case error = 0x501
      case task = 0x502
      case job = 0x503
    }

    var kind: Kind? { Kind(rawValue: word(0)) }

    func word(_ index: Int) -> UInt {
      pointer.loadUnaligned(fromByteOffset: index * 8, as: UInt.self)
    }

    // MARK: Checks

    /// The kind of heap object that begins with this address; nil if none does.
    var heapKind: Kind? {
      guard let words = safeWords(6), let kind = Kind(rawValue: words[0]) else { return nil }
      switch kind {
      case .class:
        let size = words[3] & 0xffff_ffff
        let alignmentMask = words[3] >> 32 & 0xffff
        guard size >= 16, size < 1 << 24, alignmentMask < 256,
          alignmentMask & (alignmentMask + 1) == 0,
          words[1] & 7 == 0, Self.isDescriptor(words[5], of: 16), hasClassWitnesses
        else { return nil }
        return kind
      case .closure:
        // Any 0x400 in the program's data looks like the start of a closure's metadata.
        let captures = words[2]
        guard sleepless_is_in_program(address), words[1] & 0xffff_ffff < 1 << 16,
          captures == 0 || (captures & 3 == 0 && sleepless_is_in_program(captures))
        else { return nil }
        return kind
      case .box, .error, .task, .job:
        return kind
      default: return nil
      }
    }

    /// Whether this is the address of a type's metadata.
    package var isValue: Bool {
      guard let words = safeWords(6), let kind = Kind(rawValue: words[0]) else { return false }
      switch kind {
      case .class: return heapKind == .class
      case .struct: return Self.isDescriptor(words[1], of: 17) && hasWitnesses
      case .enum, .optional: return Self.isDescriptor(words[1], of: 18) && hasWitnesses
      case .closure, .box, .error, .task, .job: return false
      default: return hasWitnesses
      }
    }

    /// Whether the word before the address points to a value witness table.
    ///
    /// Such a table has functions of the program, and a consistent size, stride and alignment.
    private var hasWitnesses: Bool {
      var witnesses: UInt = 0
      var table = [UInt](repeating: 0, count: 11)
      guard sleepless_read_now(address - 8, &witnesses, 8), witnesses & 7 == 0,
        sleepless_read_now(witnesses, &table, 88)
      else { return false }
      let (size, stride, alignmentMask) = (table[8], table[9], table[10] & 0xff)
      return table[..<8].allSatisfy { $0 == 0 || sleepless_is_in_program($0) }
        && size < 1 << 31 && stride >= max(size, 1) && stride < 1 << 32
        && alignmentMask & (alignmentMask + 1) == 0 && stride & alignmentMask == 0
    }

    /// Before a class's metadata lie its destructor and the witness table of all references.
    private var hasClassWitnesses: Bool {
      var before: [UInt] = [0, 0]
      var size: UInt = 0
      return sleepless_read_now(address - 16, &before, 16)
        && sleepless_is_in_program(before[0]) && sleepless_is_in_program(before[1])
        && sleepless_read_now(before[1] + 64, &size, 8) && size == 8
    }

    /// Reads the memory itself: a copy may be older than the type.
    private func safeWords(_ count: Int) -> [UInt]? {
      var words = [UInt](repeating: 0, count: count)
      if sleepless_read_now(address, &words, count * 8) { return words }
      // Short metadata may lie at the end of readable memory.
      return sleepless_read_now(address, &words, 24) ? words : nil
    }

    private static func isDescriptor(_ address: UInt, of kind: UInt32) -> Bool {
      // Flags, parent, and the relative pointer to the name.
      var words: [Int32] = [0, 0, 0]
      var letter: UInt8 = 0
      guard sleepless_is_in_program(address), sleepless_read_now(address, &words, 12),
        UInt32(bitPattern: words[0]) & 0xff1f == kind
      else { return false }
      let name = UInt(bitPattern: Int(bitPattern: address) &+ 8 &+ Int(words[2]))
      return sleepless_is_in_program(name) && sleepless_read_now(name, &letter, 1)
        && (letter == 0x5f || letter >= 0x41)
    }

    // MARK: Values

    private var witnesses: UnsafeRawPointer {
      UnsafeRawPointer(bitPattern: pointer.loadUnaligned(fromByteOffset: -8, as: UInt.self))!
    }
    /// Whether a value is one pointer: to an object or a block. The metadata of a block's type has no witness table on
    /// Linux; a class's is not needed.
    private var isOnePointer: Bool { kind == .class || isBlock }
    var size: Int { isOnePointer ? 8 : witnesses.loadUnaligned(fromByteOffset: 64, as: Int.self) }
    var stride: Int {
      isOnePointer ? 8 : witnesses.loadUnaligned(fromByteOffset: 72, as: Int.self)
    }
    private var flags: UInt32 {
      isOnePointer ? 0x10007 : witnesses.loadUnaligned(fromByteOffset: 80, as: UInt32.self)
    }
    private var alignment: Int { Int(flags & 0xff) + 1 }
    /// The first offset from `start` on at which a value may lie.
    func alignedOffset(from start: Int) -> Int { (start + alignment - 1) & ~(alignment - 1) }
    /// Whether its values hold no references.
    var isPlain: Bool { flags & 0x10000 == 0 }

    // MARK: Functions

    private var convention: UInt? { kind == .function ? word(1) >> 16 & 0xff : nil }

    /// Whether values are functions of Swift: a pointer to code, and a reference to what it captures.
    var isSwiftFunction: Bool { convention == 0 }

    /// Whether values are pointers to blocks, as in C.
    var isBlock: Bool { convention == 1 }

    static let block = TypeMetadata((@convention(block) () -> Void).self)

    // MARK: Nominal types

    /// The descriptor, which all specialisations share.
    var descriptor: UnsafeRawPointer? {
      switch kind {
      case .class: UnsafeRawPointer(bitPattern: word(5))
      case .struct, .enum, .optional: UnsafeRawPointer(bitPattern: word(1))
      default: nil
      }
    }

    /// The name without module, scopes and generic arguments.
    var baseName: String? {
      descriptor.map { String(cString: $0.target(8).assumingMemoryBound(to: CChar.self)) }
    }

    private var genericArguments: UnsafeRawPointer? {
      guard let descriptor, descriptor.loadUnaligned(as: UInt32.self) & 0x80 != 0 else {
        return nil
      }
      guard kind == .class else { return pointer + 16 }
      let positiveSize = descriptor.loadUnaligned(fromByteOffset: 28, as: UInt32.self)
      let ownCount = descriptor.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
      guard ownCount <= positiveSize else { return nil }
      return pointer + Int(positiveSize - ownCount) * 8
    }

    func genericArgument(_ index: Int) -> TypeMetadata? {
      guard let arguments = genericArguments else { return nil }
      return TypeMetadata(arguments.load(fromByteOffset: index * 8, as: Any.Type.self))
    }

    /// The superclass.
    var parent: TypeMetadata? {
      kind == .class && word(1) != 0 ? TypeMetadata(address: word(1)) : nil
    }

    /// The size of an instance in bytes, without tail allocations.
    var instanceSize: Int { Int(word(3) & 0xffff_ffff) }

    /// The cases with payloads. The type is nil if reflection does not describe it.
    var payloads: [(name: String, type: TypeMetadata?, isIndirect: Bool)] {
      guard let descriptor else { return [] }
      let count = Int(descriptor.loadUnaligned(fromByteOffset: 20, as: UInt32.self) & 0xff_ffff)
      guard let records = fieldRecords else {
        return Array(repeating: ("", nil, false), count: count)
      }
      return records.prefix(count).map { record in
        let type =
          record.type.containsBlock ? nil : record.type.metadata(descriptor, genericArguments)
        return (record.name, type, record.isIndirect)
      }
    }

    /// A case, or a stored property of a class itself or of a structure, in reflection's data.
    struct FieldRecord {
      let name: String
      let type: MangledType
      let isIndirect: Bool

      fileprivate init(at start: UnsafeRawPointer) {
        name = String(cString: start.target(8).assumingMemoryBound(to: CChar.self))
        type = MangledType(at: start.target(4))
        isIndirect = start.loadUnaligned(as: UInt32.self) & 1 != 0
      }
    }

    /// Nil where reflection does not describe the type.
    var fieldRecords: [FieldRecord]? {
      guard let descriptor, descriptor.loadUnaligned(fromByteOffset: 16, as: Int32.self) != 0
      else { return nil }
      let fields = descriptor.target(16)
      let count = Int(fields.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      return (0..<count).lazy.map { fields + 16 + $0 * 12 }
        // A case without a payload has no type.
        .filter { $0.loadUnaligned(fromByteOffset: 4, as: Int32.self) != 0 }
        .map(FieldRecord.init)
    }
  }

  extension UnsafeRawPointer {
    /// The target of the relative pointer at an offset.
    func target(_ offset: Int) -> UnsafeRawPointer {
      self + offset + Int(loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }
  }
#endif
