#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// A value that a closure captures. Reflection lists the types in order.
  struct ClosureCapture {
    let offset: Int
    let type: TypeMetadata
    let isStrong: Bool

    private static let reference = TypeMetadata(AnyObject.self)

    /// The captures of a closure with this metadata. A closure made in generic code begins with its generic
    /// arguments, its bindings. Nil if the layout of its captures is not known.
    static func all(of metadata: TypeMetadata, bindings: [UInt] = []) -> [ClosureCapture]? {
      guard let descriptor = CaptureDescriptor(of: metadata) else { return nil }
      let environment = descriptor.environment(bindings)
      var offset = descriptor.firstOffset + 8 * descriptor.bindingCount
      var captures: [ClosureCapture] = []
      for name in descriptor.types {
        // There is no metadata for the types of references and functions, or it is not needed.
        if name.isWeak, case let object = name.withoutReferenceMark, !object.isOneWord {
          guard let type = environment?.metadata(of: object), type.isValue else { return nil }
          offset = type.alignedOffset(from: offset)
          captures.append(ClosureCapture(offset: offset, type: reference, isStrong: false))
          offset += type.size
        } else if name.isWeak || name.isBox || name.isGenericClass {
          offset = (offset + 7) & ~7
          captures.append(ClosureCapture(offset: offset, type: reference, isStrong: !name.isWeak))
          offset += 8
        } else if let form = name.functionForm {
          offset = (offset + 7) & ~7
          switch form {
          case .closure:
            captures.append(ClosureCapture(offset: offset + 8, type: reference, isStrong: true))
            offset += 16
          case .block:
            captures.append(ClosureCapture(offset: offset, type: .block, isStrong: true))
            offset += 8
          case .code: offset += 8
          }
        } else {
          guard let type = environment?.metadata(of: name), type.isValue else { return nil }
          offset = type.alignedOffset(from: offset)
          captures.append(ClosureCapture(offset: offset, type: type, isStrong: true))
          offset += type.size
        }
      }
      return captures
    }
  }

  extension ClosureCapture {
    /// The captures of one closure. Reads the walk's copies.
    static func all(ofClosureAt address: UInt) -> [ClosureCapture]? {
      guard let word = HeapWalk.word(at: address) else { return nil }
      let metadata = TypeMetadata(address: word)
      guard let descriptor = CaptureDescriptor(of: metadata) else { return nil }
      let start = address + UInt(descriptor.firstOffset)
      let bindings = (0..<descriptor.bindingCount).compactMap {
        HeapWalk.word(at: start + UInt($0) * 8)
      }
      guard bindings.count == descriptor.bindingCount else { return nil }
      return all(of: metadata, bindings: bindings)
    }
  }

  /// What reflection says of a closure's captures.
  ///
  /// The format is that of `CaptureDescriptor` in the compiler's `RemoteInspection/Records.h`, the sources of generic
  /// arguments that of its `MetadataSource.h`.
  struct CaptureDescriptor {
    let types: [MangledType]
    /// The offset of the first binding, or of the first capture if there are no bindings.
    let firstOffset: Int
    /// How many words at the start of the closure are generic arguments or their conformances.
    let bindingCount: Int
    private let parameters: [(name: MangledType, source: String)]

    init?(of metadata: TypeMetadata) {
      guard let start = UnsafeRawPointer(bitPattern: metadata.word(2)) else { return nil }
      let counts = (0..<3).map { Int(start.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
      guard counts.allSatisfy({ $0 < 256 }) else { return nil }
      firstOffset = Int(UInt32(truncatingIfNeeded: metadata.word(1)))
      guard firstOffset >= 16 else { return nil }
      bindingCount = counts[2]
      let sources = start + 12 + counts[0] * 4
      // What only looks like the metadata of a closure leads anywhere.
      let names = (0..<(counts[0] + 2 * counts[1])).map { (start + 12).target($0 * 4) }
      guard names.allSatisfy({ sleepless_is_in_program(UInt(bitPattern: $0)) }) else { return nil }
      types = names.prefix(counts[0]).map(MangledType.init(at:))
      parameters = (0..<counts[1]).map { index in
        (
          MangledType(at: sources.target(index * 8)),
          String(cString: sources.target(index * 8 + 4).assumingMemoryBound(to: CChar.self))
        )
      }
    }

    /// Resolves the names of types with the generic arguments of one closure; nil if one of them is not known.
    func environment(_ bindings: [UInt]) -> GenericEnvironment? {
      var arguments: [GenericParameter: TypeMetadata] = [:]
      for (name, source) in parameters {
        // `B1` is the second binding. Other sources lead through captured objects.
        guard let parameter = GenericParameter(name), source.first == "B",
          let index = Int(source.dropFirst()), index < bindings.count,
          case let argument = TypeMetadata(address: bindings[index]), argument.isValue
        else { return nil }
        arguments[parameter] = argument
      }
      return GenericEnvironment(arguments)
    }
  }
#endif
