import ExampleApp
import Foundation
import SleeplessTesting
import XCTest

final class NotesSyncXCTests: XCTestCase {
  func testAFileThatCannotBeReadIsNotOverwritten() async {
    let files = FileMock()
    files.read.always(.error(CocoaError(.fileReadCorruptFile)))
    let sync = NotesSync(files)
    await sync.add("milk")
    do {
      _ = try await sync.synchronise()
      XCTFail("it has read")
    } catch {
      XCTAssertEqual(error, .unreadable)
    }
    XCTAssertEqual(files.save.calls.count, 0)
  }

  func testNotesThatCouldNotBeWrittenAreWrittenTheNextTime() async throws {
    let files = FileMock()
    files.read.always(.value(Data(notes: "bread")))
    files.save.inTurn(.error(CocoaError(.fileWriteOutOfSpace)), .value())
    let sync = NotesSync(files)
    await sync.add("milk")
    _ = try? await sync.synchronise()
    let outcome = try await sync.synchronise()
    XCTAssertEqual(outcome, .inStep(written: 1, new: 0))
    XCTAssertEqual(files.save.calls.last?.data, Data(notes: "bread", "milk"))
  }
}
