import ExampleApp
import Foundation
import SleeplessTesting

/// Reads and writes as the test decides, including errors that a real disk does not produce on
/// demand.
struct FileMock: FileLocation, DataReader, DataWriter, Bookmarks {
  let place = Stub<Void, URL?>("folder", default: .value(.notes))
  let read = Stub<URL, Data>("data(at:)")
  let save = Stub<(data: Data, url: URL), Void>("write(_:to:)")
  let locate = Stub<Data, URL?>("url(of:)", default: .value(.notes))

  var folder: URL? { place.now(orReturn: nil) }

  func data(at url: URL) throws -> Data { try read.now(url) }

  func write(_ data: Data, to url: URL) throws { try save.now((data, url)) }

  func bookmark(of url: URL) -> Data { Data(url.path.utf8) }

  func url(of bookmark: Data) throws -> URL? { try locate.now(bookmark) }
}

extension URL {
  static let notes = URL(fileURLWithPath: "/notes")
}

extension Data {
  init(notes: String...) { self.init(notes.joined(separator: "\n").utf8) }
}

extension NotesSync {
  init(_ files: some FileLocation & DataReader & DataWriter & Bookmarks) {
    self.init(location: files, reader: files, writer: files, bookmarks: files)
  }
}
