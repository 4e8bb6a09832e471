#if os(Linux) && _pointerBitWidth(_64)
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
