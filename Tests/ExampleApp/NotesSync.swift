import Foundation

/// Keeps notes in a file that other devices also write.
package actor NotesSync {
  package enum Outcome: Equatable, Sendable {
    /// There is no folder now; the notes stay on this device.
    case noFolder
    /// Both sides have the same notes, after this many were written and this many received.
    case inStep(written: Int, new: Int)
  }

  package enum Problem: Error, Equatable {
    case unreadable, unwritable
  }

  package private(set) var notes: Set<String> = []
  package private(set) var bookmark: Data?

  private let location: any FileLocation
  private let reader: any DataReader
  private let writer: any DataWriter
  private let bookmarks: any Bookmarks

  package init(
    location: any FileLocation, reader: any DataReader, writer: any DataWriter,
    bookmarks: any Bookmarks
  ) {
    self.location = location
    self.reader = reader
    self.writer = writer
    self.bookmarks = bookmarks
  }

  package func add(_ note: String) { notes.insert(note) }

  /// Reads the other devices' notes and writes the missing ones. Loses nothing if it throws.
  package func synchronise() throws(Problem) -> Outcome {
    guard let folder else { return .noFolder }
    let file = folder.appendingPathComponent("notes.txt")
    let others = try read(file)
    let (missing, new) = (notes.subtracting(others), others.subtracting(notes))
    notes.formUnion(others)
    if !missing.isEmpty { try write(to: file) }
    bookmark = try? bookmarks.bookmark(of: folder)
    return .inStep(written: missing.count, new: new.count)
  }

  /// The default folder, if the user's folder no longer exists.
  private var folder: URL? {
    (bookmark.flatMap { try? bookmarks.url(of: $0) }) ?? location.folder
  }

  private func read(_ file: URL) throws(Problem) -> Set<String> {
    do {
      let text = String(decoding: try reader.data(at: file), as: UTF8.self)
      return Set(text.split(separator: "\n").map(String.init))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return []
    } catch {
      throw .unreadable
    }
  }

  private func write(to file: URL) throws(Problem) {
    do {
      try writer.write(Data(notes.sorted().joined(separator: "\n").utf8), to: file)
    } catch {
      throw .unwritable
    }
  }
}
