#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// An object on the heap, as the program's author sees it.
  struct HeapObject {
    enum Kind {
      case object(TypeMetadata)
      case array(element: TypeMetadata, start: Int)
      case set
      case dictionary(DictionaryKeys, value: TypeMetadata)
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
        name = Self.name(of: metadata)
      case .closure:
        // A variable shared by closures looks like a closure that captures only this variable.
        kind = .closure
        name = "closure"
      case .box:
        let type = TypeMetadata(address: metadata.word(2))
        kind = .box(type, start: type.alignedOffset(from: 16))
        name = "variable"
      case .error:
        guard let type = HeapWalk.word(at: address + 16) else { return nil }
        let value = TypeMetadata(address: type)
        guard value.isValue else { return nil }
        kind = .box(value, start: value.alignedOffset(from: 32))
        name = "error"
      case .task, .job:
        kind = .task
        name = "task"
      default: return nil
      }
    }

    /// The name of a class; for the memory of a string, an array, a set or a dictionary the name of that type.
    static func name(of type: TypeMetadata) -> String {
      switch type.baseName {
      case "__StringStorage": return "String"
      case "__SwiftValue": return "boxed value"
      case "_SetStorage":
        guard let element = type.genericArgument(0) else { break }
        return "Set<\(element.type)>"
      case "_ContiguousArrayStorage":
        guard let element = type.genericArgument(0) else { break }
        return "Array<\(element.type)>"
      case "_DictionaryStorage":
        guard let key = type.genericArgument(0), let value = type.genericArgument(1) else { break }
        return "Dictionary<\(key.type), \(value.type)>"
      default: break
      }
      return String(describing: type.type)
    }

    private static func kind(of type: TypeMetadata) -> Kind {
      switch type.baseName {
      case "_ContiguousArrayStorage":
        guard let element = type.genericArgument(0) else { break }
        return .array(element: element, start: element.alignedOffset(from: 32))
      case "_SetStorage": return .set
      case "_DictionaryStorage":
        guard let key = type.genericArgument(0), let value = type.genericArgument(1) else { break }
        return .dictionary(DictionaryKeys(type: key), value: value)
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

    /// Whether an object is what the toolchain's `Runtime` keeps of a program for each thread.
    static func isDebugInformation(_ type: TypeMetadata) -> Bool {
      type.baseName == "ElfImageCache" && module(of: type) == "Runtime"
    }

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
#endif
