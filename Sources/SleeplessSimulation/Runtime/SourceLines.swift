import Foundation

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
  import Runtime
#endif

/// A line of source code.
package struct SourceLine: Equatable, Sendable {
  package let path: String
  package let number: Int

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
/// The toolchain's `Runtime` reads the program's debug information, which takes some milliseconds and so
/// happens only after a failure. A program without debug information has no lines, nor have other toolchains.
enum SourceLines {
  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
    /// The line at which the outermost of the user's functions is suspended: for a test's task, the test.
    static func ofTest(among addresses: some BidirectionalCollection<UInt>) -> SourceLine? {
      for address in addresses.reversed() {
        // Inlined functions give several frames, the innermost first.
        let symbolicated = backtrace(of: address)?.symbolicated(
          options: [.showInlineFrames, .showSourceLocations])
        for symbol in symbolicated?.frames.reversed().compactMap(\.symbol) ?? [] {
          guard let place = symbol.sourceLocation, place.line > 0,
            FunctionNames.isUsers(symbol.rawName), !isInC(place)
          else { continue }
          return SourceLine(path: place.path, number: place.line)
        }
      }
      return nil
    }

    /// Whether a line is one of C, such as of this library's own: a C function's name shows no module.
    private static func isInC(_ place: SymbolicatedBacktrace.SourceLocation) -> Bool {
      place.path.hasSuffix(".c")
    }

    /// The line where the outermost of the user's functions on this thread's stack calls, without the
    /// functions that an earlier stack has too.
    static func ofCaller(above earlier: [UInt]) -> SourceLine? {
      let addresses = stack
      let shared = zip(addresses.reversed(), earlier.reversed()).prefix { $0 == $1 }.count
      return ofTest(among: addresses.dropLast(shared))
    }

    /// The addresses to which this thread's functions return, the innermost first.
    static var stack: [UInt] { Thread.callStackReturnAddresses.map(\.uintValue) }

    /// A backtrace of one address. It has no public initialiser for that, but can be decoded.
    private static func backtrace(of address: UInt) -> Backtrace? {
      let wordsOf64Bits: UInt8 = 2
      // The address at which a task resumes, absolute, of eight bytes. The format is that of
      // `CompactBacktrace.swift` in the toolchain's `Runtime`.
      let resumePoint: UInt8 = 0b0011_1111
      let end: UInt8 = 0
      let bytes = withUnsafeBytes(of: UInt64(address).bigEndian) {
        [wordsOf64Bits, resumePoint] + $0 + [end]
      }
      let encoded = [
        "architecture": architecture, "backtrace": Data(bytes).base64EncodedString(),
      ]
      return try? JSONDecoder().decode(Backtrace.self, from: JSONEncoder().encode(encoded))
    }

    private static var architecture: String {
      #if arch(x86_64)
        "x86_64"
      #else
        "aarch64"
      #endif
    }
  #else
    static func ofTest(among addresses: some BidirectionalCollection<UInt>) -> SourceLine? { nil }
    static func ofCaller(above earlier: [UInt]) -> SourceLine? { nil }
    static var stack: [UInt] { [] }
  #endif
}
