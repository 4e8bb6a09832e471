/// The user's functions on a stack, by the symbols of the program. Each address is looked up once.
package struct CallerNames {
  package struct Caller {
    package let function: String
    package let address: UInt
  }

  private enum Origin {
    case function(FunctionNames.Origin)
    case xctest
    case system
    case unknown
  }

  private var known: [UInt: Origin] = [:]

  package init() {}

  /// The user's functions, the innermost first. There are none if this library, or XCTest between its tests, has called
  /// what is above the first.
  package mutating func callers(at addresses: [UInt]) -> [Caller] {
    var callers: [Caller] = []
    for address in addresses {
      switch origin(of: address) {
      case .function(.user(let function)):
        if callers.last?.function != function {
          callers.append(Caller(function: function, address: address))
        }
      case .function(.library), .xctest:
        if callers.isEmpty { return [] }
      case .function(.other), .system, .unknown: break
      }
    }
    return callers
  }

  private mutating func origin(of address: UInt) -> Origin {
    if let origin = known[address] { return origin }
    let origin = Self.look(at: address)
    known[address] = origin
    return origin
  }

  private static func look(at address: UInt) -> Origin {
    guard let location = ImageLocation(of: UnsafeRawPointer(bitPattern: address)) else {
      return .unknown
    }
    guard location.isOfSystem else {
      return .function(FunctionNames.origin(ofFunctionAt: address))
    }
    let isOfXCTest = location.exportedSymbol?.hasPrefix("$s6XCTest7XCTMain") ?? false
    return isOfXCTest ? .xctest : .system
  }
}
