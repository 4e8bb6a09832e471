/// Finds the names of variables, as written in Swift, by their addresses.
package enum VariableNames {
  /// The global variable or static property at an address: `Cache.shared`; nil if none is known.
  package static func name(at address: UInt) -> String? {
    guard let location = location(of: address) else { return nil }
    return tables.table(ofFile: location.file).symbol(at: location.offset)
      .flatMap(FunctionNames.readableVariable)
  }

  /// The library or program that an address belongs to.
  package static func image(at address: UInt) -> String? {
    location(of: address).map { String($0.fileName) }
  }

  private static let tables = SymbolTables(.variable)

  private static func location(of address: UInt) -> ImageLocation? {
    ImageLocation(of: UnsafeRawPointer(bitPattern: address))
  }
}
