#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  /// The keys of a dictionary, as text.
  struct DictionaryKeys {
    // The pointers to the keys and values in `__RawDictionaryStorage`.
    static let keysOffset: UInt = 48
    static let valuesOffset: UInt = 56

    let type: TypeMetadata

    /// The key as text; nil if reading it could run code of the program.
    func text(inBucket bucket: Int, of dictionary: UInt) -> String? {
      guard let keys = HeapWalk.word(at: dictionary + Self.keysOffset) else { return nil }
      let address = keys + UInt(bucket * type.stride)
      if type.type == Int.self {
        return HeapWalk.word(at: address).map { "\(Int(bitPattern: $0))" }
      }
      guard type.type == String.self, let bytes = HeapWalk.bytes(at: address, count: 16) else {
        return nil
      }
      return smallString(bytes).map { "\"\($0)\"" }
    }

    /// A string of up to 15 bytes lies in the value itself. The last byte has 0xE in its upper half for
    /// a small ASCII string or 0xA for another small one, and the length in the lower half
    /// (StringObject.swift).
    private func smallString(_ bytes: [UInt8]) -> String? {
      guard [0xe0, 0xa0].contains(bytes[15] & 0xf0) else { return nil }
      return String(validating: bytes.prefix(Int(bytes[15] & 0xf)), as: UTF8.self)
    }
  }
#endif
