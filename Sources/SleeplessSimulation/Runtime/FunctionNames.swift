import Foundation
import Sleepless

/// Finds the names of functions, as written in Swift, by the addresses of their code.
///
/// On Linux most functions of a program are not exported, so the symbol table of its file is read, once and
/// only after a failure. A stripped program has no names.
package enum FunctionNames {
  /// Whether a function was written by the user, and not made by the compiler from an expression, such as a
  /// reference to a method in XCTest's list of tests.
  static func isUsers(_ symbol: String) -> Bool {
    readable(symbol) != nil && demangled(symbol)?.contains("implicit closure") == false
  }

  /// The function at an address; nil if it is one of the runtime or of this library.
  static func ofUser(at address: UInt) -> String? {
    symbol(at: address).flatMap(readable)
  }

  /// Whether an address is in an asynchronous function.
  static func isAsynchronous(at address: UInt) -> Bool {
    // A part of one after an await, or one up to its first await.
    symbol(at: address)?.contains(/(?:T[QY]\d+_|YaK?l?F)$/) ?? false
  }

  /// The global variable or static property in whose initializer an address lies; nil if it lies in none.
  static func variable(initializedAt address: UInt) -> String? {
    guard let symbol = symbol(at: address), symbol.hasSuffix("_WZ") else { return nil }
    // The initializer's symbol is the variable's without the type, and ends with `_WZ`. With the ending of a static
    // variable of type Int the demangler accepts it.
    return readableVariable(symbol.dropLast(3) + "SivpZ")
  }

  /// Who has written a function.
  package enum Origin: Equatable {
    /// The user; with the name.
    case user(String)
    /// This library, in Swift.
    case library
    /// The compiler, or the author of another library. Some stand-ins in C have names of Foundation's functions.
    case other
  }

  /// Who has written the function at an address of the program.
  static func origin(ofFunctionAt address: UInt) -> Origin {
    symbol(at: address).map(origin(of:)) ?? .other
  }

  package static func origin(of symbol: String) -> Origin {
    guard let text = demangledWithoutFileMarks(symbol), let outermost = scopes(of: text).last else {
      return .other
    }
    // What the compiler makes of a function names it at the end: `generic specialization <A> of Shop.pay() -> ()`.
    let name = outermost.replacing(#/^.*\b(?:of|for) /#, with: "")
    let module = FunctionName(demangled: name)?.module
    if let module, libraryModules.contains(module) { return .library }
    if let module, foundationModules.contains(module) { return .other }
    return readable(symbol).map(Origin.user) ?? .other
  }

  private static let libraryModules = [
    "Sleepless", "VirtualTime", "RetainGraph", "SleeplessSimulation", "SleeplessTesting",
  ]
  private static let foundationModules = ["Foundation", "FoundationEssentials", "Dispatch"]

  private static func symbol(at address: UInt) -> String? {
    guard let location = ImageLocation(of: UnsafeRawPointer(bitPattern: address)) else {
      return nil
    }
    let table = tables.table(ofFile: location.file)
    return table.symbol(at: location.offset) ?? location.exportedSymbol
  }

  private static let tables = SymbolTables(.function)

  /// The address of the code of a method without arguments and result.
  static func address(ofMethod name: String, in type: AnyClass) -> UInt? {
    let metadata = UInt(bitPattern: ObjectIdentifier(type))
    guard let location = ImageLocation(of: UnsafeRawPointer(bitPattern: metadata)) else {
      return nil
    }
    let call = ".\(name)()"
    let method = FunctionName(demangled: String(reflecting: type) + call)
    // The ends of mangled names: synchronous and asynchronous, without and with errors.
    return tables.table(ofFile: location.file)
      .offset(withEnding: ["yyF", "yyKF", "yyYaF", "yyYaKF"]) { symbol in
        // Thousands of symbols have such an end. To read the parts of each name took 1.2 s in a debug build of
        // ReportingFixture.
        guard let text = demangled(symbol), text.contains(call) else { return false }
        return FunctionName(demangled: text) == method
      }
      .map { metadata - UInt(location.offset) + UInt($0) }
  }

  /// The function's name as written in its source; nil if it belongs to the compiler, the runtime or this
  /// library.
  ///
  /// `(2) suspend resume partial function for Shop.Cart.pay(Shop.Card) async throws -> ()` is
  /// `Cart.pay(_:)`.
  package static func readable(_ symbol: String) -> String? {
    guard let text = demangledWithoutFileMarks(symbol) else { return nil }
    let name = text.range(of: "resume partial function for ").map { String(text[$0.upperBound...]) }
    // The innermost comes first: `closure #1 () -> () in Shop.Cart.pay() async -> ()`.
    let parts = scopes(of: name ?? text)
    let foreign = [
      "thunk", "partial apply", "specialization", "witness for",
      "__allTests",  // made by XCTest's list of tests
    ]
    guard !foreign.contains(where: parts[0].contains) else { return nil }
    // Made by a macro, or a closure in such a function.
    guard !parts.contains(where: { $0.contains(".$s") }) else { return nil }
    var module: String?
    let names = parts.map { part in
      // That of an `async let` is implicit.
      if let closure = part.prefixMatch(of: /(?:implicit )?(closure #\d+)/) {
        return String(closure.1)
      }
      let name = FunctionName(demangled: String(part))
      module = name?.module ?? module
      return name?.text ?? String(part)
    }
    let ours = libraryModules + ["Swift", "_Concurrency", "Testing", "XCTest"]
    guard let module, !ours.contains(module) else { return nil }
    return names.joined(separator: " in ")
      // This character stands for a space in a name between backticks. It is replaced last, because
      // otherwise words of the name would be taken for marks.
      .replacing("\u{A0}", with: " ")
  }

  /// `closure #1 () -> () in (extension in Shop):Shop.Cart.pay()` has two scopes.
  private static func scopes(of name: String) -> [String] {
    var scopes: [String] = []
    for part in name.components(separatedBy: " in ") {
      if scopes.last?.hasSuffix("(extension") == true {
        scopes[scopes.count - 1] += " in " + part
      } else {
        scopes.append(part)
      }
    }
    return scopes
  }

  /// A variable's name as written in its source: `static Shop.Cache.shared : Shop.Cache` is
  /// `Cache.shared`.
  static func readableVariable(_ symbol: String) -> String? {
    guard let text = demangledWithoutFileMarks(symbol), let end = text.range(of: " : ") else {
      return nil
    }
    let name = String(text[..<end.lowerBound]).replacing("static ", with: "")
    return name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }

  /// The name of a private function contains a mark of its file: `(load in _5D99C2C6551455FB44C25C84FF7F3CA8)`.
  private static func demangledWithoutFileMarks(_ symbol: String) -> String? {
    demangled(symbol)?.replacing(/\(([^()]+) in _[0-9A-F]{32}\)/) { $0.1 }
  }

  private static func demangled(_ symbol: String) -> String? {
    let utf8 = Array(symbol.utf8CString)
    guard
      let text = utf8.withUnsafeBufferPointer({
        swiftDemangle($0.baseAddress!, UInt($0.count - 1), nil, nil, 0)
      })
    else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
