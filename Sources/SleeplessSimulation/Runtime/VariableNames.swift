import CRuntimeHooks
import Foundation
import Sleepless

/// Finds the names of variables, as written in Swift, by their addresses.
package enum VariableNames {
  /// The global variable or static property at an address: `Cache.shared`; nil if none is known.
  package static func name(at address: UInt) -> String? {
    guard let (file, offset) = place(of: address) else { return nil }
    let table = tables.withLock { tables in
      if let table = tables[file] { return table }
      let table = SymbolTable(ofFile: file, .variable)
      tables[file] = table
      return table
    }
    return table.symbol(at: UInt64(offset)).flatMap(FunctionNames.readableVariable)
  }

  /// The library or program that an address belongs to.
  package static func image(at address: UInt) -> String? {
    place(of: address).map { $0.file.components(separatedBy: "/").last! }
  }

  private static let tables = Locked<[String: SymbolTable]>([:])

  private static func place(of address: UInt) -> (file: String, offset: UInt)? {
    var file: UnsafePointer<CChar>?
    var offset: UInt = 0
    var exported: UnsafePointer<CChar>?
    guard sleepless_locate(UnsafeRawPointer(bitPattern: address), &file, &offset, &exported),
      let file
    else { return nil }
    return (String(cString: file), offset)
  }
}
