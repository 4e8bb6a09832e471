import Foundation
import Testing

@testable import FindWaits

@Suite struct CommandTests {
  private let files = [
    "Tests/ATests/A.swift": Sample.test("usleep(1000)"),
    "Tests/ATests/B.swift": Sample.test("a()"),
    "Tests/ATests/C.txt": "usleep(1000)",
    ".build/checkouts/D.swift": Sample.test("usleep(1000)"),
  ]

  @Test func `a folder is read with the folders in it, but not with hidden ones`() throws {
    let run = try CommandRun(files)
    run.run("@")
    #expect(run.output.contains("@/Tests/ATests/A.swift:3:"))
    #expect(run.output.contains("1 of 2 tests waits"))
    #expect(run.status == 0)
  }

  @Test func `a file is read, and one that is excluded is not`() throws {
    let run = try CommandRun(files)
    run.run("@/Tests/ATests/B.swift")
    #expect(run.output == "None of 1 test waits.\n")
    run.run("@/", "--exclude", "@/Tests/ATests/A.swift")
    #expect(run.output == "None of 1 test waits.\n")
  }

  /// Code that makes a test wait if it is that of a test target, and that is no helper otherwise.
  private let helper = "func pause() { usleep(1000) }"

  @Test(arguments: [
    // The path that is read, the files in it, and whether the file beside the tests is of a test target.
    ("@/Tests/app", "Tests/app/Package.swift", "Tests/app/Sources/App/Pause.swift", false),
    ("@/Tests/app", "Tests/app/README.md", "Tests/app/Sources/App/Pause.swift", false),
    ("@/Tests", "Tests/Package.swift", "Tests/Sources/App/Pause.swift", false),
    ("@/app", "app/Package.swift", "app/Tests/AppTests/Pause.swift", true),
    ("@/app/Tests/Support", "app/Package.swift", "app/Tests/Support/Pause.swift", true),
    ("@/Tests", "Tests/README.md", "Tests/Pause.swift", true),
  ])
  func `only folders of the package and of what is read tell where tests are`(
    path: String, other: String, file: String, isTestCode: Bool
  ) throws {
    let test = file.replacing("Pause.swift", with: "PauseTests.swift")
    let run = try CommandRun([other: "", file: helper, test: Sample.test("pause()")])
    run.run(path)
    #expect(run.output.contains("1 of 1 test waits") == isTestCode, "\(run.output)")
  }

  @Test func `waits fail the command if that is asked for`() throws {
    let run = try CommandRun(files)
    run.run("@", "--fail-on-waits")
    #expect(run.status == 1)
    run.run("@/Tests/ATests/B.swift", "--fail-on-waits")
    #expect(run.status == 0)
  }

  @Test func `a baseline passes, and a new wait fails`() throws {
    let run = try CommandRun(files)
    run.run("@", "--format", "baseline")
    let baseline = run.output.replacing("@", with: run.folder)
    try Data(baseline.utf8).write(to: URL(fileURLWithPath: run.folder + "/known"))
    run.run("@", "--fail-on-waits", "--baseline", "@/known")
    #expect(run.output == "None of 2 tests waits anew.\nThe baseline lists 1 more wait.\n")
    #expect(run.status == 0)
    let path = run.folder + "/Tests/ATests/B.swift"
    try Data(Sample.test("usleep(1)").utf8).write(to: URL(fileURLWithPath: path))
    run.run("@", "--fail-on-waits", "--baseline", "@/known")
    #expect(run.status == 1)
  }

  @Test func `a file that is not read fails the check`() throws {
    let run = try CommandRun(["A.swift": "}", "B.swift": Sample.test("a()")])
    run.run("@")
    #expect(run.status == 0)
    run.run("@", "--fail-on-waits")
    #expect(run.status == 1)
  }

  @Test func `a path that does not exist is named`() throws {
    let run = try CommandRun([:])
    run.run("@/Test")
    #expect(
      run.errors
        == "@/Test: There is no such file or folder. Pass a path from the folder of the package.\n")
    #expect(run.status == 2)
  }

  @Test func `a folder without Swift files is named`() throws {
    let run = try CommandRun([:])
    run.run("@")
    #expect(run.errors == "No Swift files in @. Pass the folders of the tests.\n")
    #expect(run.status == 2)
  }

  @Test(arguments: [
    (["--fast"], "There is no option --fast. --help lists the options.\n"),
    (["--format"], "--format needs a value. --help says which.\n"),
    (
      ["--format", "xml"],
      "--format must be one of text, json, github, baseline (was xml).\n"
    ),
    (
      ["--baseline", "/nowhere"],
      "--baseline names the file /nowhere, which cannot be read. Check the path.\n"
    ),
  ])
  func `a wrong option is named`(words: [String], error: String) {
    var errors = ""
    let status = Command.run(words) { _ in
    } complain: {
      errors += $0 + "\n"
    }
    #expect(errors == error)
    #expect(status == 2)
  }

  @Test func `the help fits into 80 columns`() {
    var output = ""
    #expect(
      Command.run(["--help"]) {
        output += $0
      } complain: { _ in
      } == 0)
    #expect(output.hasPrefix("Lists the tests that wait, and what to write instead.\n"))
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `a link to a file that is read is not read twice`() throws {
    let run = try CommandRun(["Tests/A.swift": Sample.test("usleep(1000)")])
    try FileManager.default.createSymbolicLink(
      atPath: run.folder + "/B.swift", withDestinationPath: run.folder + "/Tests/A.swift")
    try FileManager.default.createSymbolicLink(
      atPath: run.folder + "/Tests/C", withDestinationPath: run.folder)
    run.run("@")
    #expect(run.output.contains("1 of 1 test waits"))
  }
}
