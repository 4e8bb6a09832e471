import Sleepless

/// A function of the program, and the line of it that an address of code belongs to: where a suspended task
/// goes on.
package struct CodeFrame: Sendable, Hashable {
  /// The function's name, such as `Cart.pay(card:)` or `closure #1 in Cart.pay(card:)`.
  package let function: String
  /// Nil where the program has no debug information, and on systems other than Linux.
  package let line: SourceLine?

  package init(function: String, line: SourceLine? = nil) {
    self.function = function
    self.line = line
  }

  /// The frames at these addresses, without those of the runtime and of this library.
  ///
  /// The first lookup of an address takes about a millisecond, and much longer in a large program that is built
  /// for release. In a job of a simulation the watchdog does not count that time.
  package static func ofUser(at addresses: [UInt]) -> [CodeFrame] {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current
    else { return found(at: addresses) }
    return simulation.unwatched { found(at: addresses) }
  }

  private static func found(at addresses: [UInt]) -> [CodeFrame] {
    var frames: [CodeFrame] = []
    for frame in addresses.lazy.compactMap(known(at:)) where frames.last?.function != frame.function
    {
      frames.append(frame)
    }
    return frames
  }

  // A schedule has the same addresses again and again, and to look one up is slow.
  private static func known(at address: UInt) -> CodeFrame? {
    // Under the lock, so that threads which ask for the same address look it up once.
    known.withLock { known in
      if let frame = known[address] { return frame }
      let frame = FunctionNames.ofUser(at: address).map {
        CodeFrame(function: $0, line: SourceLines.line(at: address))
      }
      known[address] = .some(frame)
      return frame
    }
  }

  private static let known = Locked<[UInt: CodeFrame?]>([:])

  /// The frame as text: `Cart.pay(card:) at Cart.swift:12`. A closure with a line needs no number.
  package var text: String { Self.text(function, at: line) }

  /// The function without the labels of its arguments, and the line.
  var shortText: String { Self.text(shortFunction, at: line) }

  /// The function without the labels of its arguments, which take much room.
  var shortFunction: String { function.replacing(/\((?:[^\s():]+:)*\)/, with: "") }

  private static func text(_ function: String, at line: SourceLine?) -> String {
    guard let line else { return function }
    let scopes = function.split(separator: " in ")
    let outer = scopes.drop { $0.hasPrefix("closure #") }
    guard outer.count < scopes.count else { return "\(function) at \(line.text)" }
    return "closure at \(line.text) in \(outer.joined(separator: " in "))"
  }
}
