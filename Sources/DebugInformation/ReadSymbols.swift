#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && SourceLines && canImport(Runtime)
  import CRuntimeHooks
  import Foundation
  import Runtime

  /// Reads the functions at an address of code, with the toolchain's `Runtime`, for the C function of that name.
  ///
  /// No module imports this one. The members that `Runtime` adds to the standard library's types would reach each file
  /// that imports Sleepless, also if the import of `Runtime` is private: `Int($0)` is then ambiguous in some closures.
  @c(sleepless_read_symbols)
  public func readSymbols(
    at address: UInt, in file: UnsafePointer<CChar>?, at offset: UInt64,
    for owner: UnsafeMutableRawPointer?, _ visit: sleepless_symbol_visitor?
  ) {
    guard let file, let visit else { return }
    let image = Compact.image(of: address, in: String(cString: file), at: offset)
    let symbolicated = image.flatMap { image in
      Compact.backtrace(of: address)?.symbolicated(
        with: image, options: [.showInlineFrames, .showSourceLocations])
    }
    for case let symbol? in symbolicated?.frames.reversed().map(\.symbol) ?? [] {
      let place = symbol.sourceLocation
      visit(owner, symbol.rawName, place?.path ?? "", place?.line ?? 0)
    }
  }

  /// Values of `Runtime` that have no public initialisers, but can be decoded.
  private enum Compact {
    /// A backtrace of one address.
    static func backtrace(of address: UInt) -> Backtrace? {
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
    static func image(of address: UInt, in file: String, at offset: UInt64) -> ImageMap? {
      // The format is that of `CompactImageMap.swift` in the toolchain's `Runtime`: one image with an address
      // and a size of eight bytes each, without a name of the platform and a build identifier.
      let (wordsOf64Bits, platform, count, widths, identifier):
        (UInt8, UInt8, UInt8, UInt8, UInt8) = (
          2, 0, 1, 0b0011_1111, 0
        )
      var bytes = [wordsOf64Bits, platform, count, widths]
      let start = UInt64(address) - offset
      for word in [start, 1 << 32] { bytes += withUnsafeBytes(of: word.bigEndian) { Array($0) } }
      bytes.append(identifier)
      var path = Array(file.utf8)[...]
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
  }
#endif
