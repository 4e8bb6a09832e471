import Foundation

/// An object that all of a program shares, in which what nobody has removed stays.
///
/// Foundation keeps their insides in C, or in types that reflection does not show, so that the search
/// through static properties does not come by.
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
