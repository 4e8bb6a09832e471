import Foundation
import Sleepless

/// The functions, or the variables, of a 64-bit ELF file, by their addresses in memory.
///
/// The format: "System V Application Binary Interface", chapters 4 and 5. A file of another format has no
/// symbols here.
struct SymbolTable: Sendable {
  private struct Symbol {
    let start: UInt64
    let end: UInt64
    let nameOffset: Int
  }

  private let symbols: [Symbol]  // by their starts
  private let names: Data

  /// The kind of a symbol, with its number in the format.
  enum Kind: UInt8, Sendable { case variable = 1, function = 2 }

  init(ofFile path: String, _ kind: Kind) {
    let file = (try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)) ?? Data()
    let found = ElfFile(file)?.symbols(kind)
    names = found?.names ?? Data()
    symbols = (found?.entries ?? []).map { Symbol(start: $0, end: $0 + $1, nameOffset: $2) }
      .sorted { $0.start < $1.start }
  }

  /// The name of the symbol at this offset from the beginning of the file in memory.
  func symbol(at offset: UInt64) -> String? {
    var low = 0
    var high = symbols.count
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].start <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0, offset < symbols[low - 1].end else { return nil }
    let start = names.startIndex + symbols[low - 1].nameOffset
    guard start < names.endIndex else { return nil }
    return String(decoding: names[start...].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The offset from the beginning of the file in memory of the first symbol that is wanted. Only names with
  /// one of the endings are decoded, because most of the time goes into that.
  func offset(withEnding endings: [StaticString], where isWanted: (String) -> Bool) -> UInt64? {
    names.withUnsafeBytes { names in
      guard let base = names.bindMemory(to: CChar.self).baseAddress else { return nil }
      return symbols.first { symbol in
        guard symbol.nameOffset < names.count else { return false }
        let name = base + symbol.nameOffset
        let length = strlen(name)
        return endings.contains { ending in
          let size = ending.utf8CodeUnitCount
          return length >= size && memcmp(name + (length - size), ending.utf8Start, size) == 0
        } && isWanted(String(cString: name))
      }?.start
    }
  }
}

/// The symbol tables of the files that have been asked for, each read once.
final class SymbolTables: Sendable {
  private let kind: SymbolTable.Kind
  private let tables = Locked<[String: SymbolTable]>([:])

  init(_ kind: SymbolTable.Kind) { self.kind = kind }

  func table(ofFile path: String) -> SymbolTable {
    tables.withLock { tables in
      if let table = tables[path] { return table }
      let table = SymbolTable(ofFile: path, kind)
      tables[path] = table
      return table
    }
  }
}

/// The headers of an ELF file that lead to its symbols.
private struct ElfFile {
  private let data: Data

  init?(_ data: Data) {
    guard data.count > 64, data.prefix(6).elementsEqual([0x7f, 0x45, 0x4c, 0x46, 2, 1]) else {
      return nil
    }
    self.data = data
  }

  /// The start and the size of each symbol, and the offset of its name in the names.
  func symbols(_ kind: SymbolTable.Kind) -> (entries: [(UInt64, UInt64, Int)], names: Data)? {
    let symbolTable: UInt32 = 2
    let count = Int(read(60, as: UInt16.self))
    let headers = Int(read(40, as: UInt64.self))
    for index in 0..<count {
      let header = headers + index * 64
      guard header + 64 <= data.count, read(header + 4, as: UInt32.self) == symbolTable else {
        continue
      }
      let strings = headers + Int(read(header + 40, as: UInt32.self)) * 64
      guard let table = section(header), strings + 64 <= data.count, let names = section(strings)
      else { return nil }
      return (symbols(kind, in: table), data[names])
    }
    return nil
  }

  private func symbols(_ kind: SymbolTable.Kind, in table: Range<Int>) -> [(UInt64, UInt64, Int)] {
    stride(from: table.lowerBound, to: table.upperBound - 23, by: 24).compactMap { entry in
      let isWanted = read(entry + 4, as: UInt8.self) & 0xf == kind.rawValue
      let start = read(entry + 8, as: UInt64.self)
      guard isWanted, start != 0 else { return nil }
      return (start, read(entry + 16, as: UInt64.self), Int(read(entry, as: UInt32.self)))
    }
  }

  private func section(_ header: Int) -> Range<Int>? {
    let start = Int(read(header + 24, as: UInt64.self))
    let size = Int(read(header + 32, as: UInt64.self))
    return start + size <= data.count ? start..<start + size : nil
  }

  private func read<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
    data.withUnsafeBytes {
      Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
  }
}
