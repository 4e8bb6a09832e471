import Foundation

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
  import Runtime
#endif

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
      let addresses = stack
      let shared = zip(addresses.reversed(), earlier.reversed()).prefix { $0 == $1 }.count
      return ofTest(among: addresses.dropLast(shared))
    }

    /// The addresses to which this thread's functions return, the innermost first.
    static var stack: [UInt] { Thread.callStackReturnAddresses.map(\.uintValue) }

    /// A function by its name in the program, and the line of it. Nil where the compiler has noted no line.
    private struct Symbol {
      let name: String
      let line: SourceLine?

      init(_ symbol: SymbolicatedBacktrace.Symbol) {
        name = symbol.rawName
        line = symbol.sourceLocation.flatMap { place in
          place.line > 0 ? SourceLine(path: place.path, number: place.line) : nil
        }
      }
    }

    /// The functions at an address. There are several if functions are inlined; the outermost comes first.
    private static func symbols(at address: UInt) -> [Symbol] {
      DebugInformationThread.shared.result {
        guard let images = image(of: address) else { return [] }
        let symbolicated = backtrace(of: address)?.symbolicated(
          with: images, options: [.showInlineFrames, .showSourceLocations])
        return symbolicated?.frames.reversed().compactMap(\.symbol).map(Symbol.init) ?? []
      }
    }

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

    /// The image of one address as the toolchain's map of images.
    ///
    /// `ImageMap.capture()` would read all images in memory. It crashes if another thread removes one meanwhile,
    /// or another file, and takes twenty times as long.
    private static func image(of address: UInt) -> ImageMap? {
      guard let location = ImageLocation(of: UnsafeRawPointer(bitPattern: address)) else {
        return nil
      }
      // The format is that of `CompactImageMap.swift` in the toolchain's `Runtime`: one image with an address
      // and a size of eight bytes each, without a name of the platform and a build identifier.
      let (wordsOf64Bits, platform, count, widths, identifier):
        (UInt8, UInt8, UInt8, UInt8, UInt8) = (
          2, 0, 1, 0b0011_1111, 0
        )
      var bytes = [wordsOf64Bits, platform, count, widths]
      let start = UInt64(address) - location.offset
      for word in [start, 1 << 32] { bytes += withUnsafeBytes(of: word.bigEndian) { Array($0) } }
      bytes.append(identifier)
      var path = Array(location.file.utf8)[...]
      while !path.isEmpty {
        let part = path.prefix(63)
        bytes += [UInt8(part.count)] + part
        path = path.dropFirst(63)
      }
      bytes.append(0)
      let encoded = try? JSONEncoder().encode(Data(bytes).base64EncodedString())
      return encoded.flatMap { try? JSONDecoder().decode(ImageMap.self, from: $0) }
    }

    private static var architecture: String {
      #if arch(x86_64)
        "x86_64"
      #else
        "aarch64"
      #endif
    }
  #else
    static func line(at address: UInt) -> SourceLine? { nil }
    static func ofTest(among addresses: some BidirectionalCollection<UInt>) -> SourceLine? { nil }
    static func ofCaller(above earlier: [UInt]) -> SourceLine? { nil }
    static var stack: [UInt] { [] }
  #endif
}
