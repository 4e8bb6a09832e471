import Sleepless

/// A schedule as a short string, for running it again in another process.
///
/// It holds the choices that departed from the default, the timing seed if there is one, a hash of the test's
/// name, and a hash of the schedule, which shows whether the code has changed. The first character is the
/// version.
package struct ReplayString: Equatable, Sendable {
  /// A hash of the test's name.
  package var test: UInt32
  /// The seed for the order of work due at one instant, for delays and for random numbers; nil if there is
  /// none.
  package var timingSeed: UInt32?
  package var deviations: [Deviation]
  /// A hash of the whole schedule; nil if the schedule did not end.
  package var fingerprint: UInt16?

  package init(
    test: UInt32, timingSeed: UInt32?, deviations: [Deviation], fingerprint: UInt16?
  ) {
    self.test = test
    self.timingSeed = timingSeed
    self.deviations = deviations
    self.fingerprint = fingerprint
  }

  /// Why a string is not a replay string.
  package enum ParsingError: Error, Equatable {
    case empty
    case version(Character)
    case character(Character)
    case damaged
  }

  /// A hash of a test's name, 24 bits.
  package static func mark(of name: String) -> UInt32 { UInt32(hash(name.utf8) & 0xFF_FFFF) }
}

// MARK: Coding

extension ReplayString {
  /// The version of a string with the choices that departed from the default.
  private static let version: Character = "1"

  package var text: String {
    var bytes = [UInt8(test & 0xFF), UInt8(test >> 8 & 0xFF), UInt8(test >> 16 & 0xFF)]
    bytes.append(varint: fingerprint.map { UInt64($0) + 1 } ?? 0)
    bytes.append(varint: timingSeed.map { UInt64($0) + 1 } ?? 0)
    var choice = 0
    for deviation in deviations {
      bytes.append(varint: UInt64(deviation.choice - choice))
      bytes.append(varint: UInt64(deviation.index))
      // Zero stands for a task that runs within a step.
      bytes.append(varint: UInt64(max(deviation.width, 0)))
      choice = deviation.choice
    }
    let check = hash(bytes)
    bytes += [UInt8(check & 0xFF), UInt8(check >> 8 & 0xFF)]
    return String(Self.version) + Base64.text(of: bytes)
  }

  package init(_ text: String) throws(ParsingError) {
    guard let version = text.first else { throw .empty }
    if version == CrashRecord.version {
      self = try CrashRecord.replay(of: text)
      return
    }
    guard version == Self.version else { throw .version(version) }
    let bytes = try Base64.bytes(of: text.dropFirst())
    guard bytes.count >= 7 else { throw .damaged }
    let check = hash(bytes.dropLast(2))
    guard
      UInt16(bytes[bytes.count - 2]) | UInt16(bytes[bytes.count - 1]) << 8
        == UInt16(check & 0xFFFF)
    else { throw .damaged }
    test = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
    var rest = bytes[3..<(bytes.count - 2)]
    let (fingerprint, timingSeed) = (try rest.takeVarint(), try rest.takeVarint())
    self.fingerprint = fingerprint == 0 ? nil : UInt16(truncatingIfNeeded: fingerprint - 1)
    self.timingSeed = timingSeed == 0 ? nil : UInt32(truncatingIfNeeded: timingSeed - 1)
    deviations = []
    var choice: UInt64 = 0
    while !rest.isEmpty {
      choice += try rest.takeVarint()
      let (index, width) = (try rest.takeVarint(), try rest.takeVarint())
      guard choice < 1 << 40, width == 0 || index < width, max(index, width) < 1 << 30 else {
        throw .damaged
      }
      deviations.append(
        Deviation(
          choice: Int(choice), index: Int32(index), width: width == 0 ? -1 : Int32(width)))
    }
  }
}

/// FNV-1a, 64 bits, with its halves folded into the lower one.
private func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  return hash ^ hash >> 32
}

extension [UInt8] {
  /// Appends seven bits per byte, the lowest first; the eighth bit says that more follow.
  fileprivate mutating func append(varint number: UInt64) {
    var rest = number
    while rest > 0x7F {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func takeVarint() throws(ReplayString.ParsingError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 49, by: 7) {
      guard let byte = popFirst() else { throw .damaged }
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return number }
    }
    throw .damaged
  }
}

/// RFC 4648, section 5, without padding: safe in a shell, a URL and a file's name.
enum Base64 {
  static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func value(of character: Character) throws(ReplayString.ParsingError) -> UInt32 {
    guard let ascii = character.asciiValue, let value = alphabet.firstIndex(of: ascii) else {
      throw .character(character)
    }
    return UInt32(value)
  }

  static func bytes(of text: Substring) throws(ReplayString.ParsingError) -> [UInt8] {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for character in text {
      bits = bits << 6 | (try value(of: character))
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count & 0xFF))
    }
    return bytes
  }
}
