import Foundation

/// An object that the whole program shares, and that keeps its entries until they are removed.
///
/// Foundation stores these objects in C variables, or in types that reflection does not describe,
/// so the search from static properties does not find them.
struct SharedObject {
  let name: String
  let address: UInt

  private init(_ name: String, _ object: AnyObject) {
    self.name = name
    address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  static var all: [SharedObject] {
    [
      SharedObject("NotificationCenter.default", NotificationCenter.default),
      SharedObject("OperationQueue.main", OperationQueue.main),
    ]
  }
}
