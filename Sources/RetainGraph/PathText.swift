#if os(Linux) && _pointerBitWidth(_64)
  import CHeapWalk

  /// Formats a path of references with the program's own names: `Model.service →
  /// Service.callbacks[1] → closure capturing Model`.
  ///
  /// Use it only within a ``HeapWalk``, because it reads the walk's copies.
  struct PathText {
    /// An object on the path and the properties that lead on: `Service`, `.callbacks[1]`.
    private struct PathElement {
      var name: String
      var properties = ""
      var isClosure = false
      /// Whether the class belongs to a library, so its properties mean nothing to the program's
      /// author.
      var isForeign = false
    }

    private var elements: [PathElement] = []

    /// `root` is the name of the start of the path, if the path does not start at an object.
    static func text(of steps: [sleepless_step], to target: UInt, root: String? = nil) -> String {
      var text = PathText()
      if let root { text.elements.append(PathElement(name: root, isForeign: true)) }
      for (index, step) in steps.enumerated() {
        text.add(step, isFirst: index == 0 && root != nil)
      }
      text.appendObject(at: target)
      return text.joined
    }

    private mutating func add(_ step: sleepless_step, isFirst: Bool) {
      guard !step.is_memory else {
        if let type = step.type, !isFirst {
          let type = TypeMetadata(address: UInt(bitPattern: type))
          // The memory may contain several values side by side.
          let (index, place) = Int(step.offset).quotientAndRemainder(dividingBy: type.stride)
          append(FieldPath(to: place, in: type, at: step.holder + UInt(index * type.stride)))
        }
        return
      }
      guard let kind = HeapObject(step.holder)?.kind else { return }
      switch kind {
      case .array(let element, let start):
        let index = (Int(step.offset) - start) / element.stride
        let place = (Int(step.offset) - start) % element.stride
        let address = step.holder + UInt(start + index * element.stride)
        append("[\(index)]" + FieldPath(to: place, in: element, at: address))
      case .set: append("[member]")
      case .dictionary(let key, let value):
        guard !step.is_key else { return append(".keys") }
        let bucket = Int(step.offset >> 16)
        let values = HeapWalk.word(at: step.holder + 56) ?? 0
        let path = FieldPath(
          to: Int(step.offset & 0xffff), in: value, at: values + UInt(bucket * value.stride))
        append("[\(key.key(inBucket: bucket, of: step.holder) ?? "…")]" + path)
      case .box(let type, let start):
        append(FieldPath(to: Int(step.offset) - start, in: type, at: step.holder + UInt(start)))
      case .closure:
        // To the runtime, the box of a large value or of an indirect case is also a closure.
        if let last = elements.last, !last.isClosure, !last.isForeign,
          let box = closureBox(step.holder)
        {
          let place = Int(step.offset) - box.offset
          append(FieldPath(to: place, in: box.type, at: step.holder + UInt(box.offset)))
        } else if !isFirst {
          appendObject(at: step.holder)
        }
      case .object(let type):
        if !isFirst { appendObject(at: step.holder) }
        append(FieldPath(to: Int(step.offset), in: type, at: step.holder))
      case .task: if !isFirst { appendObject(at: step.holder) }
      }
    }

    private mutating func append(_ path: FieldPath) {
      guard let last = elements.last else { return }
      if !last.isForeign, !last.isClosure { elements[elements.count - 1].properties += path.text }
      // To the runtime, a closure with a single captured object is that object.
      if path.isClosure { appendClosure() }
    }

    private func closureBox(_ address: UInt) -> ClosureCapture? {
      guard let word = HeapWalk.word(at: address) else { return nil }
      let captures = ClosureCapture.all(of: TypeMetadata(address: word)) ?? []
      return captures.count == 1 ? captures[0] : nil
    }

    private mutating func append(_ text: String) { append(FieldPath(text: text)) }

    private mutating func appendClosure() {
      if elements.last?.isClosure != true {
        elements.append(PathElement(name: "closure", isClosure: true))
      }
    }

    private mutating func appendObject(at address: UInt) {
      guard let object = HeapObject(address) else { return }
      let isForeign: Bool
      switch object.kind {
      case .object(let type): isForeign = HeapObject.isForeign(type)
      default: isForeign = false
      }
      // The path skips objects between two objects of libraries.
      if isForeign, elements.last?.isForeign == true, elements.count > 1 { return }
      var element = PathElement(name: object.name, isForeign: isForeign)
      if case .closure = object.kind { element.isClosure = true }
      if element.isClosure { return appendClosure() }
      elements.append(element)
    }

    private var joined: String {
      var text = ""
      for (index, element) in elements.enumerated() {
        // Of a long path: its beginning and its end.
        if elements.count > 16, (8..<(elements.count - 4)).contains(index) {
          if index == 8 { text += " → …" }
          continue
        }
        if index > 0 { text += elements[index - 1].isClosure ? " capturing " : " → " }
        text += element.name + element.properties
      }
      return text
    }
  }

  /// An object on the heap, as the program's author sees it.
  struct HeapObject {
    enum Kind {
      case object(TypeMetadata)
      case array(element: TypeMetadata, start: Int)
      case set
      case dictionary(KeyText, value: TypeMetadata)
      /// A variable shared by closures, the value of an indirect case, an error's value, or a large
      /// value.
      case box(TypeMetadata, start: Int)
      case closure
      case task
    }

    let kind: Kind
    let name: String

    /// Nil if there is no object at this address.
    init?(_ address: UInt) {
      guard let word = HeapWalk.word(at: address) else { return nil }
      let metadata = TypeMetadata(address: word)
      switch metadata.heapKind {
      case .class:
        kind = Self.kind(of: metadata)
        name = String(describing: metadata.type)
      case .closure:
        // A variable shared by closures looks like a closure that captures only this variable.
        kind = .closure
        name = "closure"
      case .box:
        let type = TypeMetadata(address: metadata.word(2))
        kind = .box(type, start: (16 + type.alignment - 1) & ~(type.alignment - 1))
        name = "variable"
      case .error:
        guard let type = HeapWalk.word(at: address + 16) else { return nil }
        let value = TypeMetadata(address: type)
        guard value.isValue else { return nil }
        kind = .box(value, start: (32 + value.alignment - 1) & ~(value.alignment - 1))
        name = "error"
      case .task, .job:
        kind = .task
        name = "task"
      default: return nil
      }
    }

    private static func kind(of type: TypeMetadata) -> Kind {
      switch type.baseName {
      case "_ContiguousArrayStorage":
        guard let element = type.genericArgument(0) else { break }
        return .array(
          element: element, start: (32 + element.alignment - 1) & ~(element.alignment - 1))
      case "_SetStorage": return .set
      case "_DictionaryStorage":
        guard let key = type.genericArgument(0), let value = type.genericArgument(1) else { break }
        return .dictionary(KeyText(type: key), value: value)
      default: break
      }
      return .object(type)
    }

    /// Whether a class belongs to a library whose properties the test's author does not know.
    static func isForeign(_ type: TypeMetadata) -> Bool {
      foreignModules.contains(module(of: type))
    }

    /// Whether a type belongs to Sleepless. (Authors do know the standard library's enums.)
    static func isOurs(_ type: TypeMetadata) -> Bool { ourModules.contains(module(of: type)) }

    static func isOfDispatch(_ type: TypeMetadata) -> Bool { module(of: type) == "Dispatch" }

    private static func module(of type: TypeMetadata) -> String {
      String(_typeName(type.type, qualified: true).prefix { $0 != "." })
    }

    private static let ourModules: Set = [
      "Sleepless", "VirtualTime", "SleeplessSimulation", "SleeplessTesting",
    ]

    private static let foreignModules: Set = ourModules.union([
      "Swift", "_Concurrency", "Synchronization", "Observation", "Foundation",
      "FoundationEssentials", "Dispatch", "XCTest", "Testing",
    ])
  }

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

  /// Formats a dictionary's key, if reading it runs no code of the program.
  struct KeyText {
    let type: TypeMetadata

    func key(inBucket bucket: Int, of dictionary: UInt) -> String? {
      guard let keys = HeapWalk.word(at: dictionary + 48) else { return nil }
      let address = keys + UInt(bucket * type.stride)
      if type.type == Int.self {
        return HeapWalk.word(at: address).map { "\(Int(bitPattern: $0))" }
      }
      guard type.type == String.self, let bytes = HeapWalk.bytes(at: address, count: 16) else {
        return nil
      }
      return smallString(bytes).map { "\"\($0)\"" }
    }

    /// A string of up to 15 bytes lies in the value itself. The last byte has a mark and the
    /// length.
    private func smallString(_ bytes: [UInt8]) -> String? {
      guard bytes[15] & 0xe0 == 0xe0 else { return nil }
      return String(validating: bytes.prefix(Int(bytes[15] & 0xf)), as: UTF8.self)
    }
  }
#endif
