#if os(Linux) && _pointerBitWidth(_64)
  import RetainGraph
  import Testing

  /// What counts as a type among words of memory that may be anything.
  @Suite struct TypeMetadataTests {
    @Test func `every kind of type is one`() {
      let types: [Any.Type] = [
        Int.self, String.self, [Int].self, Int?.self, (Int, String).self, (() -> Void).self,
        (any Error).self, Int.Type.self, Suit.self, Card.self, Player.self, AnyObject.self,
      ]
      for type in types { #expect(TypeMetadata(type).isValue, "\(type)") }
    }

    @Test func `a copy of a type's words is one`() { #expect(Words(of: Card.self).isType) }

    @Test(arguments: Lie.allCases)
    func `words that only look like a type are none`(lie: Lie) {
      let words = Words(of: Card.self)
      lie.tell(words)
      #expect(!words.isType)
    }

    /// What is wrong with the words.
    enum Lie: CaseIterable {
      case noKind, noDescriptor, noWitnesses, witnessesNowhere, witnessesOfZero, foreignFunction
      case sizeBeyondStride, crookedAlignment

      func tell(_ words: Words) {
        switch self {
        case .noKind: words.metadata[1] = 0x203
        case .noDescriptor: words.metadata[2] = UInt(bitPattern: words.witnesses)
        case .noWitnesses: words.metadata[0] = 0
        case .witnessesNowhere: words.metadata[0] = 0x6000_0000_0000
        case .witnessesOfZero: for index in 0..<11 { words.witnesses[index] = 0 }
        case .foreignFunction: words.witnesses[3] = UInt(bitPattern: words.metadata)
        case .sizeBeyondStride: words.witnesses[8] = words.witnesses[9] + 1
        case .crookedAlignment: words.witnesses[10] = words.witnesses[10] & ~0xff | 0x06
        }
      }
    }
  }

  /// A copy of a type's words and of its table of witnesses, to be written to.
  final class Words {
    /// The word before the address that is the type's, and those after it.
    let metadata = UnsafeMutablePointer<UInt>.allocate(capacity: 8)
    let witnesses = UnsafeMutablePointer<UInt>.allocate(capacity: 16)

    init(of type: Any.Type) {
      let original = unsafeBitCast(type, to: UnsafePointer<UInt>.self) - 1
      let table = UnsafePointer<UInt>(bitPattern: original[0])!
      metadata.initialize(repeating: 0, count: 8)
      metadata.update(from: original, count: 4)
      witnesses.initialize(repeating: 0, count: 16)
      witnesses.update(from: table, count: 11)
      metadata[0] = UInt(bitPattern: witnesses)
    }

    deinit {
      metadata.deallocate()
      witnesses.deallocate()
    }

    var isType: Bool { TypeMetadata(address: UInt(bitPattern: metadata + 1)).isValue }
  }

  private enum Suit { case hearts, spades }

  private struct Card {
    let suit: Suit
    let value: Int
  }

  private final class Player { let hand: [Card] = [] }
#endif
