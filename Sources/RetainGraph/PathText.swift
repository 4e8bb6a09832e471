#if os(Linux) && _pointerBitWidth(_64)
  import CHeapWalk

  /// Says a path of references in the words of the program: `Model.service → Service.callbacks[1] →
  /// closure capturing Model`.
  ///
  /// Only within a ``HeapWalk``, whose copies it reads.
  struct PathText {
    /// Something with a name, and the way to the next one: `Service`, `.callbacks[1]`.
    private struct PathElement {
      var name: String
      var way = ""
      var isClosure = false
      /// Whether the program's author knows its insides.
      var isForeign = false
    }

    private var nouns: [PathElement] = []

    /// `root` names where the path begins, if that is no object.
    static func text(of steps: [sleepless_step], to target: UInt, root: String? = nil) -> String {
      var text = PathText()
      if let root { text.nouns.append(PathElement(name: root, isForeign: true)) }
      for (index, step) in steps.enumerated() {
        text.add(step, isFirst: index == 0 && root != nil)
      }
      text.enter(target)
      return text.joined
    }

    private mutating func add(_ step: sleepless_step, isFirst: Bool) {
      guard !step.is_memory else {
        if let type = step.type, !isFirst {
          let type = TypeMetadata(address: UInt(bitPattern: type))
          // There may be several, side by side.
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
        let way = FieldPath(
          to: Int(step.offset & 0xffff), in: value, at: values + UInt(bucket * value.stride))
        append("[\(key.key(inBucket: bucket, of: step.holder) ?? "…")]" + way)
      case .box(let type, let start):
        append(FieldPath(to: Int(step.offset) - start, in: type, at: step.holder + UInt(start)))
      case .closure:
        // To the runtime the box of a large value, or of an indirect case, is a closure as well.
        if let last = nouns.last, !last.isClosure, !last.isForeign,
          let box = closureBox(step.holder)
        {
          let place = Int(step.offset) - box.offset
          append(FieldPath(to: place, in: box.type, at: step.holder + UInt(box.offset)))
        } else if !isFirst {
          enter(step.holder)
        }
      case .object(let type):
        if !isFirst { enter(step.holder) }
        append(FieldPath(to: Int(step.offset), in: type, at: step.holder))
      case .task: if !isFirst { enter(step.holder) }
      }
    }

    private mutating func append(_ way: FieldPath) {
      guard let last = nouns.last else { return }
      if !last.isForeign, !last.isClosure { nouns[nouns.count - 1].way += way.text }
      // A closure that captures one object only is that object, to the runtime.
      if way.isClosure { enterClosure() }
    }

    private func closureBox(_ address: UInt) -> ClosureCapture? {
      guard let word = HeapWalk.word(at: address) else { return nil }
      let captures = ClosureCapture.all(of: TypeMetadata(address: word)) ?? []
      return captures.count == 1 ? captures[0] : nil
    }

    private mutating func append(_ way: String) { append(FieldPath(text: way)) }

    private mutating func enterClosure() {
      if nouns.last?.isClosure != true {
        nouns.append(PathElement(name: "closure", isClosure: true))
      }
    }

    private mutating func enter(_ address: UInt) {
      guard let object = HeapObject(address) else { return }
      let isForeign: Bool
      switch object.kind {
      case .object(let type): isForeign = HeapObject.isForeign(type)
      default: isForeign = false
      }
      // What goes on within the standard library or this one is nobody's concern.
      if isForeign, nouns.last?.isForeign == true, nouns.count > 1 { return }
      var noun = PathElement(name: object.name, isForeign: isForeign)
      if case .closure = object.kind { noun.isClosure = true }
      if noun.isClosure { return enterClosure() }
      nouns.append(noun)
    }

    private var joined: String {
      var text = ""
      for (index, noun) in nouns.enumerated() {
        // Of a long list its beginning and its end.
        if nouns.count > 16, (8..<(nouns.count - 4)).contains(index) {
          if index == 8 { text += " → …" }
          continue
        }
        if index > 0 { text += nouns[index - 1].isClosure ? " capturing " : " → " }
        text += noun.name + noun.way
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
      /// A variable that closures share, the value of an indirect case, an error's or a large value.
      case box(TypeMetadata, start: Int)
      case closure
      case task
    }

    let kind: Kind
    let name: String

    /// Nil if there is none at this address.
    init?(_ address: UInt) {
      guard let word = HeapWalk.word(at: address) else { return nil }
      let metadata = TypeMetadata(address: word)
      switch metadata.heapKind {
      case .class:
        kind = Self.kind(of: metadata)
        name = String(describing: metadata.type)
      case .closure:
        // A variable that closures share looks like a closure that captures it alone.
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

    /// Whether a class is of a library whose insides the test's author does not know.
    static func isForeign(_ type: TypeMetadata) -> Bool {
      foreignModules.contains(module(of: type))
    }

    /// Whether it is of this library. The standard library's enums everybody knows.
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

  /// The stored property at a place in a value: `.state.loaded`.
  struct FieldPath {
    var text = ""
    /// Whether it is a closure.
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
          // An element of a tuple without a label is called `.0`.
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
        // What does not fit lies in a box, which comes next.
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

    /// The name as it is written in the program.
    private static func readable(_ name: String, isObserved: Bool) -> String {
      let lazyPrefix = "$__lazy_storage_$_"
      if name.hasPrefix(lazyPrefix) { return String(name.dropFirst(lazyPrefix.count)) }
      if isObserved, name.hasPrefix("_") { return String(name.dropFirst()) }
      return name
    }
  }

  /// Says a dictionary's key, if it is one that can be read without running its code.
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

    /// A string of up to 15 bytes lies in the value itself: the last byte tells, and counts.
    private func smallString(_ bytes: [UInt8]) -> String? {
      guard bytes[15] & 0xe0 == 0xe0 else { return nil }
      return String(validating: bytes.prefix(Int(bytes[15] & 0xf)), as: UTF8.self)
    }
  }
#endif
