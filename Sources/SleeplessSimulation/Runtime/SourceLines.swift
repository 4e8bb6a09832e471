import Foundation

#if os(Linux) && compiler(>=6.3) && canImport(Runtime)
  import Runtime
#endif

/// A line of source code.
package struct SourceLine: Equatable, Sendable {
  package let path: String
  package let number: Int
}

/// Finds the lines that code was compiled from, by its addresses.
///
/// The toolchain's own `Runtime` reads the program's debug information, which takes some milliseconds:
/// only when something has failed. A program without any gives no lines, nor do other toolchains.
enum SourceLines {
  #if os(Linux) && compiler(>=6.3) && canImport(Runtime)
    /// The line at which the outermost of the user's functions is suspended: in a test's task, the test.
    static func ofTest(among addresses: [UInt]) -> SourceLine? {
      for address in addresses.reversed() {
        // Where functions are inlined there are several, the innermost first.
        let symbolicated = backtrace(of: address)?.symbolicated(
          options: [.showInlineFrames, .showSourceLocations])
        for symbol in symbolicated?.frames.reversed().compactMap(\.symbol) ?? [] {
          guard let place = symbol.sourceLocation, place.line > 0,
            FunctionNames.isUsers(symbol.rawName)
          else { continue }
          return SourceLine(path: place.path, number: place.line)
        }
      }
      return nil
    }

    /// A backtrace of one address. Nothing public makes one, but it can be decoded.
    private static func backtrace(of address: UInt) -> Backtrace? {
      let wordsOf64Bits: UInt8 = 2
      // The place where a task goes on, as an absolute address of eight bytes. The format is that of
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
    static func ofTest(among addresses: [UInt]) -> SourceLine? { nil }
  #endif
}
