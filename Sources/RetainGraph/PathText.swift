#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
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

    /// Where a path starts, if it does not start at an object.
    enum Root {
      /// A variable of the program. What follows may be a part of its value.
      case variable(String)
      /// A task or an object that the whole program shares.
      case other(String)
    }

    static func text(of steps: [sleepless_step], to target: UInt, root: Root? = nil) -> String {
      var text = PathText()
      switch root {
      case .variable(let name): text.elements.append(PathElement(name: name))
      case .other(let name): text.elements.append(PathElement(name: name, isForeign: true))
      case nil: break
      }
      for (index, step) in steps.enumerated() {
        text.add(step, isFirst: index == 0 && root != nil)
      }
      text.appendObject(at: target, isTarget: true)
      return text.joined
    }

    private mutating func add(_ step: sleepless_step, isFirst: Bool) {
      guard !step.is_block else { return appendClosure() }
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
      case .dictionary(let keys, let value):
        guard !step.is_key else { return append(".keys") }
        let bucket = Int(step.offset >> 16)
        let values = HeapWalk.word(at: step.holder + DictionaryKeys.valuesOffset) ?? 0
        let path = FieldPath(
          to: Int(step.offset & 0xffff), in: value, at: values + UInt(bucket * value.stride))
        append("[\(keys.text(inBucket: bucket, of: step.holder) ?? "...")]" + path)
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
      // Tasks that have not ended are only at the beginning of paths.
      case .task: if !isFirst { elements.append(PathElement(name: "Task.result")) }
      }
    }

    private mutating func append(_ path: FieldPath) {
      guard let last = elements.last else { return }
      if !last.isForeign, !last.isClosure { elements[elements.count - 1].properties += path.text }
      // To the runtime, a closure with a single captured object is that object.
      if path.isClosure { appendClosure() }
    }

    private func closureBox(_ address: UInt) -> ClosureCapture? {
      let captures = ClosureCapture.all(ofClosureAt: address) ?? []
      return captures.count == 1 ? captures[0] : nil
    }

    private mutating func append(_ text: String) { append(FieldPath(text: text)) }

    private mutating func appendClosure() {
      if elements.last?.isClosure != true {
        elements.append(PathElement(name: "closure", isClosure: true))
      }
    }

    private mutating func appendObject(at address: UInt, isTarget: Bool = false) {
      guard let object = HeapObject(address) else { return }
      let isForeign: Bool
      switch object.kind {
      case .object(let type): isForeign = HeapObject.isForeign(type)
      default: isForeign = false
      }
      // Of several library objects in a row, the path shows the first. It always shows its end.
      if !isTarget, isForeign, elements.last?.isForeign == true, elements.count > 1 { return }
      if case .closure = object.kind { return appendClosure() }
      elements.append(PathElement(name: object.name, isForeign: isForeign))
    }

    private var joined: String {
      var text = ""
      for (index, element) in elements.enumerated() {
        // Of a long path: its beginning and its end.
        if elements.count > 16, (8..<(elements.count - 4)).contains(index) {
          if index == 8 { text += " -> ..." }
          continue
        }
        if index > 0 { text += elements[index - 1].isClosure ? " capturing " : " -> " }
        text += element.name + element.properties
      }
      return text
    }
  }
#endif
