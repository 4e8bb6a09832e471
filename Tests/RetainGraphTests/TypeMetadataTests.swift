#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && _pointerBitWidth(_64)
  import RetainGraph
  import Testing

  /// Tells metadata of types from other words in memory.
  @Suite struct TypeMetadataTests {
    @Test func `the metadata of every kind of type is recognised`() {
      let types: [Any.Type] = [
        Int.self, String.self, [Int].self, Int?.self, (Int, String).self, (() -> Void).self,
        (any Error).self, Int.Type.self, Suit.self, Card.self, Player.self, AnyObject.self,
      ]
      for type in types {
        // A walk of another test would replace the copies that this reads.
        let isValue = HeapWalk.run { _ in TypeMetadata(type).isValue }
        #expect(isValue, "\(type)")
      }
    }

    @Test func `a copy of a type's metadata is recognised`() {
      #expect(Words(of: Card.self).isType)
    }

    @Test(arguments: Corruption.allCases)
    func `words that only resemble metadata are rejected`(corruption: Corruption) {
      let words = Words(of: Card.self)
      corruption.apply(to: words)
      #expect(!words.isType)
    }

    /// One mistake in the words.
    enum Corruption: CaseIterable {
      case invalidKind, noDescriptor, noWitnesses, unmappedWitnesses, zeroWitnesses, foreignFunction
      case sizeBeyondStride, invalidAlignment

      func apply(to words: Words) {
        switch self {
        case .invalidKind: words.metadata[1] = 0x203
        case .noDescriptor: words.metadata[2] = UInt(bitPattern: words.witnesses)
        case .noWitnesses: words.metadata[0] = 0
        case .unmappedWitnesses: words.metadata[0] = 0x6000_0000_0000
        case .zeroWitnesses: for index in 0..<11 { words.witnesses[index] = 0 }
        case .foreignFunction: words.witnesses[3] = UInt(bitPattern: words.metadata)
        case .sizeBeyondStride: words.witnesses[8] = words.witnesses[9] + 1
        case .invalidAlignment: words.witnesses[10] = words.witnesses[10] & ~0xff | 0x06
        }
      }
    }
  }

  /// A writable copy of a type's metadata and of its witness table.
  final class Words {
    /// The word before the metadata's address, and the words after it.
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

    var isType: Bool {
      HeapWalk.run { _ in TypeMetadata(address: UInt(bitPattern: metadata + 1)).isValue }
    }
  }

  private enum Suit { case hearts, spades }

  private struct Card {
    let suit: Suit
    let value: Int
  }

  private final class Player { let hand: [Card] = [] }
#endif
