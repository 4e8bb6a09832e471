import CRuntimeHooks
import Foundation

/// A line of source code.
package struct SourceLine: Hashable, Sendable {
  package let path: String
  package let number: Int

  package init(path: String, number: Int) {
    self.path = path
    self.number = number
  }

  /// Such as `Cart.swift:12`.
  package var text: String { "\(path.split(separator: "/").last ?? ""):\(number)" }

  /// The line where a class, or one of its superclasses, declares a method without arguments and result.
  /// Nil if that cannot be known.
  package static func ofMethod(_ name: String, in type: AnyClass) -> SourceLine? {
    let classes = sequence(first: type, next: _getSuperclass)
    return classes.lazy.compactMap { FunctionNames.address(ofMethod: name, in: $0) }.first
      .flatMap { SourceLines.ofTest(among: [$0]) }
  }
}

/// Finds the source lines of code by its addresses.
///
/// The toolchain's `Runtime` reads the program's debug information. That takes milliseconds, and seconds in a large
/// program built for release, so it happens only after a failure. A program without debug information has no lines, nor
/// have other toolchains.
enum SourceLines {
  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
    /// The line that an address of code belongs to; of inlined functions, that of the outermost.
    static func line(at address: UInt) -> SourceLine? {
      symbols(at: address).lazy.compactMap(\.line).first
    }

    /// The line at which the outermost of the user's functions is suspended: for a test's task, the test.
    static func ofTest(among addresses: some BidirectionalCollection<UInt>) -> SourceLine? {
      for address in addresses.reversed() {
        for symbol in symbols(at: address) {
          guard let line = symbol.line, FunctionNames.isUsers(symbol.name), !isInC(line) else {
            continue
          }
          return line
        }
      }
      return nil
    }

    /// Whether a line is one of C, such as of this library's own: a C function's name shows no module.
    private static func isInC(_ line: SourceLine) -> Bool { line.path.hasSuffix(".c") }

    /// The line where the outermost of the user's functions on this thread's stack calls, without the
    /// functions that an earlier stack has too.
    static func ofCaller(above earlier: [UInt]) -> SourceLine? {
      let calls = stack
      let shared = zip(calls.reversed(), earlier.reversed()).prefix { $0 == $1 }.count
      if shared > 0 { return ofTest(among: calls.dropLast(shared)) }
      // `stack` ended early: it lacks the outermost calls.
      return ofTest(among: callsByFramePointers.filter { !earlier.contains($0) })
        ?? ofTest(among: calls)
    }

    /// The calls on this thread's stack, the innermost first. Each is the address of the last byte of its instruction:
    /// where a call returns to, another line may begin.
    static var stack: [UInt] { Thread.callStackReturnAddresses.map { $0.uintValue &- 1 } }

    /// The same calls, found by following the frame pointers.
    ///
    /// `stack` ends at the functions of libswiftDispatch that wait with a timeout, because they have no unwind
    /// information. They set no frame pointer either. On x86-64 they push one word, and the address to which they return
    /// is above it.
    private static var callsByFramePointers: [UInt] {
      var frames = [sleepless_frame](repeating: sleepless_frame(), count: 256)
      let count = sleepless_calling_frames(&frames, frames.count)
      var calls: [UInt] = []
      // The frame of the function that this call has called; 0 for the first one.
      var frame: UInt = 0
      for call in frames.prefix(count) {
        calls.append(call.address)
        let image = ImageLocation(of: UnsafeRawPointer(bitPattern: call.address))
        let pushed = frame &+ 2 * wordSize
        if frame > 0, call.pointer > pushed + wordSize, image?.fileName == "libswiftDispatch.so",
          let caller = UnsafePointer<UInt>(bitPattern: pushed + wordSize)
        {
          calls.append(caller.pointee &- 1)
        }
        frame = call.pointer
      }
      return calls
    }

    private static var wordSize: UInt { UInt(MemoryLayout<UInt>.size) }

    /// A function by its name in the program, and the line of it. Nil where the compiler has noted no line.
    private struct Symbol {
      let name: String
      let line: SourceLine?
    }

    /// The functions at an address. There are several if functions are inlined; the outermost comes first.
    private static func symbols(at address: UInt) -> [Symbol] {
      DebugInformationThread.shared.result {
        guard let image = ImageLocation(of: UnsafeRawPointer(bitPattern: address)) else {
          return []
        }
        var symbols: [Symbol] = []
        withUnsafeMutablePointer(to: &symbols) { symbols in
          sleepless_read_symbols(address, image.file, image.offset, symbols) {
            symbols, name, path, line in
            let place =
              line > 0 ? SourceLine(path: String(cString: path!), number: Int(line)) : nil
            symbols!.assumingMemoryBound(to: [Symbol].self).pointee
              .append(Symbol(name: String(cString: name!), line: place))
          }
        }
        return symbols
      }
    }
  #else
    static func line(at address: UInt) -> SourceLine? { nil }
    static func ofTest(among addresses: some BidirectionalCollection<UInt>) -> SourceLine? { nil }
    static func ofCaller(above earlier: [UInt]) -> SourceLine? { nil }
    static var stack: [UInt] { [] }
  #endif
}
