import Foundation
import Sleepless

// One protocol per concern, so that a test can let one of them fail and keep the others.

/// Provides the folder of the files; nil while there is none, as with a cloud folder without an
/// account.
package protocol FileLocation: Sendable {
  var folder: URL? { get }
}

package protocol DataReader: Sendable {
  /// Throws `CocoaError(.fileReadNoSuchFile)` if there is no file.
  func data(at url: URL) throws -> Data
}

package protocol DataWriter: Sendable {
  func write(_ data: Data, to url: URL) throws
}

/// Remembers the folder that the user has chosen, across launches.
package protocol Bookmarks: Sendable {
  func bookmark(of url: URL) throws -> Data
  /// The folder; nil if it no longer exists.
  func url(of bookmark: Data) throws -> URL?
}

// MARK: Live

/// The file system itself.
package struct LiveFiles: FileLocation, DataReader, DataWriter, Bookmarks {
  package let folder: URL?

  package init(folder: URL?) { self.folder = folder }

  package func data(at url: URL) throws -> Data { try Data(contentsOf: url) }

  package func write(_ data: Data, to url: URL) throws { try data.write(to: url, options: .atomic) }

  #if canImport(Darwin)
    package func bookmark(of url: URL) throws -> Data { try url.bookmarkData() }

    package func url(of bookmark: Data) throws -> URL? {
      var isStale = false
      let url = try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
      return isStale ? nil : url
    }
  #else
    // Other systems have no bookmarks, so the path must do.
    package func bookmark(of url: URL) throws -> Data { Data(url.path.utf8) }

    package func url(of bookmark: Data) throws -> URL? {
      let path = String(decoding: bookmark, as: UTF8.self)
      return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
    }
  #endif
}

// MARK: In memory

/// A file system in memory, for tests and previews.
package final class MemoryFiles: FileLocation, DataReader, DataWriter, Bookmarks {
  package let folder: URL?
  private let files = Locked<[URL: Data]>([:])

  package init(folder: URL? = URL(fileURLWithPath: "/memory")) { self.folder = folder }

  package func data(at url: URL) throws -> Data {
    guard let data = files.withLock({ $0[url] }) else { throw CocoaError(.fileReadNoSuchFile) }
    return data
  }

  package func write(_ data: Data, to url: URL) { files.withLock { $0[url] = data } }

  package func bookmark(of url: URL) -> Data { Data(url.absoluteString.utf8) }

  package func url(of bookmark: Data) -> URL? {
    URL(string: String(decoding: bookmark, as: UTF8.self))
  }
}
