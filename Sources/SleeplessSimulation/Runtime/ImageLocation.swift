import CRuntimeHooks

/// The file that an address of code or data was loaded from, and the place in it.
struct ImageLocation {
  let file: String
  /// The distance of the address from the beginning of the file in memory.
  let offset: UInt64
  /// The exported function or variable at the address, if there is one.
  let exportedSymbol: String?

  /// Nil if the address belongs to no file.
  init?(of address: UnsafeRawPointer?) {
    var file: UnsafePointer<CChar>?
    var offset: UInt = 0
    var exported: UnsafePointer<CChar>?
    guard sleepless_locate(address, &file, &offset, &exported), let file else { return nil }
    self.file = String(cString: file)
    self.offset = UInt64(offset)
    exportedSymbol = exported.map { String(cString: $0) }
  }

  /// The last part of the file's path.
  var fileName: Substring { file.split(separator: "/").last ?? "" }

  /// Whether the file is the C library, or a library of the toolchain.
  var isOfSystem: Bool {
    let fileName = fileName
    return Self.systemNames.contains { fileName.hasPrefix($0) }
  }

  private static let systemNames = [
    "libc.", "libpthread", "libswift", "libdispatch", "libFoundation", "lib_Foundation",
    "libXCTest",
    "libTesting",
  ]
}
