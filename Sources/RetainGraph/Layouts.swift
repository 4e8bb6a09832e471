#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import CHeapWalk

  /// Describes to the walk where the values and objects of a type hold references.
  ///
  /// The descriptions are never freed. There is one for each type, and for closures of generic code one for each
  /// list of words that they begin with; the number of both is limited.
  enum Layouts {
    static let describe: sleepless_describe = { pointer, isOnHeap, bindings in
      let metadata = TypeMetadata(address: UInt(bitPattern: pointer))
      let layout =
        isOnHeap ? heapLayout(of: metadata, bindings: bindings) : valueLayout(of: metadata)
      guard let layout else { return nil }
      let kept = UnsafeMutablePointer<sleepless_layout>.allocate(capacity: 1)
      kept.initialize(to: layout)
      return UnsafePointer(kept)
    }

    // MARK: Values

    private static func valueLayout(of type: TypeMetadata) -> sleepless_layout? {
      guard type.isValue else { return nil }
      if type.kind == .enum || (type.kind == .optional && !isPointer(type)) {
        return enumLayout(of: type)
      }
      var holds: [sleepless_hold] = []
      append(type, at: 0, to: &holds)
      return layout(sleepless_shape_plain, size: type.size, holds: holds)
    }

    private static func enumLayout(of type: TypeMetadata) -> sleepless_layout {
      guard !type.isPlain else {
        var holds: [sleepless_hold] = []
        append(type, at: 0, to: &holds)
        return layout(sleepless_shape_plain, size: type.size, holds: holds)
      }
      let payloads = type.payloads.map { payload -> UInt in
        if payload.isIndirect { return 1 }
        guard let type = payload.type, type.isValue else {
          return 0
        }
        return type.isPlain ? 0 : type.address
      }
      return layout(sleepless_shape_enum, size: type.size, types: payloads)
    }

    /// Appends the references that a value at `offset` holds.
    private static func append(
      _ type: TypeMetadata, at offset: Int, to holds: inout [sleepless_hold]
    ) {
      func add(_ kind: sleepless_hold_kind, at shift: Int = 0, size: Int = 8, of type: UInt = 0) {
        holds.append(
          sleepless_hold(
            kind: kind.rawValue, offset: UInt32(offset + shift), size: UInt32(size),
            type: UnsafeRawPointer(bitPattern: type)))
      }
      // Its metadata have no witness table, so they do not count as those of a value.
      if type.isBlock { return add(sleepless_holds_block) }
      guard type.isValue, type.size > 0, holds.count < 4096 else { return }
      if type.isPlain {
        switch pointer(of: type) {
        case .memory(let pointee):
          let isFull = pointee.map(fillsMemory) ?? false
          add(
            isFull ? sleepless_holds_full_memory : sleepless_holds_memory,
            of: pointee?.address ?? 0)
        case .countedMemory(let pointee):
          add(sleepless_holds_counted_memory, size: 16, of: pointee.address)
        case .object: add(sleepless_holds_unknown)
        case nil:
          guard type.kind == .struct, !HeapObject.isForeign(type) else { return }
          for field in StoredField.all(of: type) {
            append(field, at: offset, to: &holds)
          }
        }
        return
      }
      switch type.kind {
      case .class: add(sleepless_holds_object)
      case .struct:
        // Text holds its storage, if it is long, in the second word.
        if type.type == String.self { return add(sleepless_holds_leaf, at: 8) }
        // The standard library's `_Cell` has no fields, but its generic argument is the type of its
        // content.
        if type.baseName == "_Cell", let value = type.genericArgument(0), value.isValue {
          return append(value, at: offset, to: &holds)
        }
        let fields = StoredField.all(of: type)
        if fields.isEmpty { add(sleepless_holds_unknown, size: type.size) }
        for field in fields { append(field, at: offset, to: &holds) }
      case .tuple:
        for field in StoredField.all(of: type) {
          append(field, at: offset, to: &holds)
        }
      case .optional where isPointer(type): add(sleepless_holds_object)
      case .enum, .optional: add(sleepless_holds_value, size: type.size, of: type.address)
      case .function:
        if type.isSwiftFunction { add(sleepless_holds_object, at: 8) }
      case .existential, .extendedExistential:
        if type.isClassBound {
          add(sleepless_holds_object)
        } else {
          add(sleepless_holds_existential, size: 32)
        }
      case .opaque where type.size == 8: add(sleepless_holds_object)
      default: add(sleepless_holds_unknown, size: type.size)
      }
    }

    private static func append(
      _ field: StoredField, at offset: Int, to holds: inout [sleepless_hold]
    ) {
      guard field.isStrong else { return holds.append(weakHold(at: offset + field.offset)) }
      guard field.unknownSize > 0 else {
        return append(field.type, at: offset + field.offset, to: &holds)
      }
      holds.append(
        sleepless_hold(
          kind: sleepless_holds_uncopyable.rawValue, offset: UInt32(offset + field.offset),
          size: UInt32(field.unknownSize), type: nil))
    }

    private static func weakHold(at offset: Int) -> sleepless_hold {
      sleepless_hold(
        kind: sleepless_holds_weakly.rawValue, offset: UInt32(offset), size: 8, type: nil)
    }

    /// Whether an optional is stored as a reference or null.
    private static func isPointer(_ type: TypeMetadata) -> Bool {
      guard type.kind == .optional, let wrapped = type.genericArgument(0) else { return false }
      return wrapped.kind == .class || (wrapped.kind == .existential && wrapped.isClassBound)
    }

    /// Whether a pointer to such a value points to as many values as the block has room for. A
    /// timeline's slots do: all are initialised, and a free slot is zero.
    private static func fillsMemory(_ type: TypeMetadata) -> Bool {
      type.baseName == "WorkItem" && HeapObject.isOurs(type)
    }

    private enum Pointer {
      /// Values of a type; nil: unknown content.
      case memory(TypeMetadata?)
      /// Values of a type; their number follows the pointer.
      case countedMemory(TypeMetadata)
      case object
    }

    /// The target of a pointer, if the target can hold references.
    private static func pointer(of type: TypeMetadata) -> Pointer? {
      let pointer = type.kind == .optional ? type.genericArgument(0) : type
      guard let pointer, pointer.kind == .struct, let name = pointer.baseName else { return nil }
      switch name {
      case "UnsafeMutableRawPointer", "UnsafeMutableRawBufferPointer", "OpaquePointer":
        return .memory(nil)
      case "Unmanaged": return .object
      case "UnsafeMutablePointer", "UnsafePointer", "UnsafeMutableBufferPointer",
        "UnsafeBufferPointer":
        guard let pointee = pointer.genericArgument(0), pointee.isValue, !pointee.isPlain else {
          return nil
        }
        return name.contains("Buffer") ? .countedMemory(pointee) : .memory(pointee)
      default: return nil
      }
    }

    // MARK: Objects

    private static func heapLayout(
      of metadata: TypeMetadata, bindings: UnsafePointer<UInt>?
    ) -> sleepless_layout? {
      switch metadata.heapKind {
      case .class: return classLayout(of: metadata)
      case .closure: return closureLayout(of: metadata, bindings: bindings)
      case .box:
        let type = TypeMetadata(address: metadata.word(2))
        guard type.isValue else { return nil }
        return layout(sleepless_shape_box, size: 0, types: [type.address], isWhole: true)
      case .error: return layout(sleepless_shape_error, size: 0, isWhole: true)
      case .task, .job: return layout(sleepless_shape_plain, size: 16, hasUnknownTail: true)
      default: return nil
      }
    }

    private static func classLayout(of type: TypeMetadata) -> sleepless_layout {
      switch type.baseName {
      case "_ContiguousArrayStorage":
        guard let element = type.genericArgument(0), element.isValue else { break }
        let start = element.alignedOffset(from: 32)
        return layout(
          sleepless_shape_array, size: start, types: [element.address], isWhole: true)
      case "_SetStorage":
        guard let element = type.genericArgument(0), element.isValue else { break }
        return layout(sleepless_shape_set, size: 56, types: [element.address], isWhole: true)
      case "_DictionaryStorage":
        guard let key = type.genericArgument(0), let value = type.genericArgument(1), key.isValue,
          value.isValue
        else { break }
        return layout(
          sleepless_shape_dictionary, size: 64, types: [key.address, value.address], isWhole: true)
      default: break
      }
      var holds: [sleepless_hold] = []
      let fields = StoredField.all(of: type)
      for field in fields { append(field, at: 0, to: &holds) }
      let size = type.instanceSize
      if fields.isEmpty, size > 16 {
        holds.append(
          sleepless_hold(
            kind: sleepless_holds_unknown.rawValue, offset: 16, size: UInt32(size - 16), type: nil)
        )
      }
      return layout(
        sleepless_shape_plain, size: size, holds: holds,
        hasUnknownTail: type.isManagedBuffer,
        isHub: HeapObject.isOfDispatch(type) && type.baseName != "DispatchWorkItem")
    }

    /// Describes a closure's captures. Variables shared by closures have the same layout. Nil if its bindings do not
    /// tell its layout: then the one without them remains.
    private static func closureLayout(
      of metadata: TypeMetadata, bindings: UnsafePointer<UInt>?
    ) -> sleepless_layout? {
      let descriptor = CaptureDescriptor(of: metadata)
      let words = (0..<(descriptor?.bindingCount ?? 0)).map { bindings?[$0] ?? 0 }
      guard let captures = ClosureCapture.all(of: metadata, bindings: words) else {
        guard bindings == nil else { return nil }
        return layout(
          sleepless_shape_plain, size: descriptor?.firstOffset ?? 16, hasUnknownTail: true,
          bindingCount: words.count)
      }
      var holds: [sleepless_hold] = []
      for capture in captures {
        if capture.isStrong {
          append(capture.type, at: capture.offset, to: &holds)
        } else {
          holds.append(weakHold(at: capture.offset))
        }
      }
      let end = captures.last.map { $0.offset + $0.type.size } ?? 16
      return layout(sleepless_shape_plain, size: end, holds: holds, isWhole: true)
    }

    private static func layout(
      _ shape: sleepless_shape, size: Int, holds: [sleepless_hold] = [], types: [UInt] = [],
      isWhole: Bool = false, hasUnknownTail: Bool = false, isHub: Bool = false,
      bindingCount: Int = 0
    ) -> sleepless_layout {
      let keptHolds = UnsafeMutableBufferPointer<sleepless_hold>.allocate(capacity: holds.count)
      _ = keptHolds.initialize(from: holds)
      let keptTypes = UnsafeMutableBufferPointer<UnsafeRawPointer?>.allocate(capacity: types.count)
      _ = keptTypes.initialize(from: types.map { UnsafeRawPointer(bitPattern: $0) })
      return sleepless_layout(
        shape: shape.rawValue, size: UInt32(size), hold_count: UInt32(holds.count),
        type_count: UInt32(types.count), binding_count: UInt32(bindingCount), is_whole: isWhole,
        has_unknown_tail: hasUnknownTail, is_hub: isHub,
        holds: UnsafePointer(keptHolds.baseAddress), types: UnsafePointer(keptTypes.baseAddress))
    }
  }

  extension TypeMetadata {
    /// Whether a class is `ManagedBuffer` or inherits from it: elements follow the properties in memory.
    var isManagedBuffer: Bool {
      sequence(first: self) { $0.parent }.contains { $0.baseName == "ManagedBuffer" }
    }

    /// Whether values of an existential type are single references: to objects, or to boxes of
    /// errors.
    var isClassBound: Bool {
      guard kind == .existential else { return size < 32 }
      let flags = UInt32(truncatingIfNeeded: word(1))
      return flags & 0x8000_0000 == 0 || flags >> 24 & 0x3f == 1
    }
  }
#endif
