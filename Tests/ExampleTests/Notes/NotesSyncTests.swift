import ExampleApp
import Foundation
import SleeplessTesting
import Testing

@Suite(.checkedAtEnd) struct NotesSyncTests {
  @Test func `two devices end with the same notes`() async throws {
    let files = MemoryFiles()
    let (phone, tablet) = (NotesSync(files), NotesSync(files))
    await phone.add("milk")
    await tablet.add("bread")
    #expect(try await phone.synchronise() == .inStep(written: 1, new: 0))
    #expect(try await tablet.synchronise() == .inStep(written: 1, new: 1))
    #expect(try await phone.synchronise() == .inStep(written: 0, new: 1))
    #expect(await phone.notes == ["bread", "milk"])
    #expect(await tablet.notes == ["bread", "milk"])
  }

  @Test func `live files give the same result`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = LiveFiles(folder: folder)
    let (phone, tablet) = (NotesSync(files), NotesSync(files))
    await phone.add("milk")
    #expect(try await phone.synchronise() == .inStep(written: 1, new: 0))
    #expect(try await tablet.synchronise() == .inStep(written: 0, new: 1))
    #expect(await tablet.notes == ["milk"])
  }

  @Test func `without a folder the notes stay on the device`() async throws {
    let sync = NotesSync(MemoryFiles(folder: nil))
    await sync.add("milk")
    #expect(try await sync.synchronise() == .noFolder)
    #expect(await sync.notes == ["milk"])
  }

  @Test func `a folder that appears later is used from then on`() async throws {
    let files = FileMock()
    files.place.inTurn(.value(nil), .value(.notes))
    files.read.always(.error(CocoaError(.fileReadNoSuchFile)))
    files.save.always(.value())
    let sync = NotesSync(files)
    await sync.add("milk")
    #expect(try await sync.synchronise() == .noFolder)
    #expect(try await sync.synchronise() == .inStep(written: 1, new: 0))
  }

  @Test func `a file that cannot be read is not overwritten`() async {
    let files = FileMock()
    files.read.always(.error(CocoaError(.fileReadCorruptFile)))
    let sync = NotesSync(files)
    await sync.add("milk")
    await #expect(throws: NotesSync.Problem.unreadable) { try await sync.synchronise() }
    #expect(files.save.calls.count == 0)
  }

  @Test func `notes that could not be written are written the next time`() async throws {
    let files = FileMock()
    files.read.always(.value(Data(notes: "bread")))
    files.save.inTurn(.error(CocoaError(.fileWriteOutOfSpace)), .value())
    let sync = NotesSync(files)
    await sync.add("milk")
    await #expect(throws: NotesSync.Problem.unwritable) { try await sync.synchronise() }
    #expect(try await sync.synchronise() == .inStep(written: 1, new: 0))
    #expect(files.save.calls.last?.data == Data(notes: "bread", "milk"))
  }

  @Test func `a bookmark of a deleted folder is not used`() async throws {
    let files = FileMock()
    files.read.always(.value(Data(notes: "milk")))
    let sync = NotesSync(files)
    _ = try await sync.synchronise()
    files.locate.always(.value(nil))
    _ = try await sync.synchronise()
    #expect(files.place.calls.count == 2)
  }
}
