/// Makes changes, and takes back each one after which its tests fail or take longer. A file that someone edits
/// meanwhile is left as it is.
struct Fixer {
  /// What it does to the package; tests give it a package of their own.
  struct Package {
    /// What its manifest calls Sleepless.
    var sleepless = "Sleepless"
    /// The folder of its manifest.
    var folder = ""
    var manifest = "Package.swift"
    let read: (String) -> String?
    /// Writes a file's text. Throws if that fails.
    let write: (String, String) throws -> Void
    /// Builds the tests. Returns what the compiler printed if that fails.
    let build: () -> String?
    /// Runs the tests that match a filter, for at most so many seconds.
    let test: (_ filter: String, _ limit: Double) -> Outcome
    let print: (String) -> Void
  }

  struct Outcome: Equatable {
    let passes: Bool
    let seconds: Double
    /// The first failure that was printed.
    var failure: String?
    /// Whether the tests had ended within the limit.
    var hasEnded = true

    /// The outcome of tests that were stopped after so many seconds.
    static func stopped(after seconds: Double) -> Outcome {
      Outcome(
        passes: false, seconds: seconds, failure: "it had not ended after \(seconds.secondsText)",
        hasEnded: false)
    }
  }

  /// How often a test may run to pass before it is changed. Afterwards it has to pass at once.
  static let attempts = 3

  /// How many seconds the tests of one change may take before it is made.
  static let limitBefore = 600.0

  /// How many seconds they may take afterwards. SwiftPM starts a process for them, which takes some seconds itself.
  static func limit(after old: Outcome) -> Double { 60 + 2 * old.seconds }

  private let plan: ChangePlan
  private let package: Package
  private let files: ChangedFiles
  /// The text of each file, as it was read first or written last.
  private var texts: [String: String]
  /// The changes that each file had when it was written last.
  private var made: [String: [Change]] = [:]
  /// The files with another text than they should have.
  private var edited: Set<String> = []
  private var takenBack: [(change: Change, reason: String)] = []
  private var rest: [ChangePlan.Rest]

  init(_ plan: ChangePlan, in package: Package) {
    self.plan = plan
    self.package = package
    files = ChangedFiles(
      plan.changes, manifest: package.manifest, sleepless: package.sleepless,
      folder: package.folder,
      read: package.read)
    texts = files.texts(with: [])
    rest = plan.rest
  }

  /// Shows what it would change.
  func show() { package.print(files.diff(files.texts(with: plan.changes))) }

  private struct Unwritable: Error {
    let file: String
    let reason: String
  }

  /// Returns the exit status: 0, or 2 if the package did not build before, or a file cannot be written.
  mutating func fix() -> Int32 {
    do {
      return try fixAndTest()
    } catch {
      package.print(
        """
        \(error.file) cannot be written: \(error.reason). Allow that: swift package \
        --allow-writing-to-package-directory find-waits --fix. Files that were written before stay changed.

        """)
      return 2
    }
  }

  private mutating func fixAndTest() throws(Unwritable) -> Int32 {
    show()
    guard !plan.changes.isEmpty else {
      package.print(summary([], [:], [:]))
      return 0
    }
    if let output = package.build() {
      package.print(output)
      package.print("The package does not build. Correct that first; nothing was changed.\n")
      return 2
    }
    var before: [String: Outcome] = [:]
    var changes: [Change] = []
    for change in plan.changes {
      // One that only fails now and then is worth a change.
      var outcome = package.test(change.filter, Self.limitBefore)
      for _ in 1..<Self.attempts where !outcome.passes && outcome.hasEnded {
        outcome = package.test(change.filter, Self.limitBefore)
      }
      before[change.filter] = outcome
      if outcome.passes {
        changes.append(change)
      } else {
        takenBack.append((change, "it fails before the change\(outcome.failureLine)"))
      }
    }
    changes = try built(make(changes))
    var after: [String: Outcome] = [:]
    for change in changes {
      let old = before[change.filter]!
      let new = package.test(change.filter, Self.limit(after: old))
      after[change.filter] = new
      if let reason = new.reason(after: old) {
        changes.removeAll { $0 == change }
        takenBack.append((change, reason))
      }
    }
    try write(changes)
    package.print(summary(changes, before, after))
    return 0
  }

  /// Makes changes and returns them, without those in files that were edited before.
  private mutating func make(_ changes: [Change]) throws(Unwritable) -> [Change] {
    try write(changes)
    for change in changes where edited.contains(change.file) {
      rest.append(.init(name: change.name, reason: "\(change.file) was edited meanwhile"))
    }
    return changes.filter { !edited.contains($0.file) }
  }

  /// Returns the changes with which the package builds, and takes the others back.
  private mutating func built(_ changes: [Change]) throws(Unwritable) -> [Change] {
    var changes = changes
    while !changes.isEmpty, let output = package.build() {
      let errors = output.split(separator: "\n").filter { $0.contains("error: ") }
      package.print(errors.prefix(20).map { "\($0)\n" }.joined())
      // Those in files with an error; all, if no error names one of them.
      let named = changes.filter { change in errors.contains { $0.contains("\(change.file):") } }
      for change in named.isEmpty ? changes : named {
        takenBack.append((change, "it does not compile"))
      }
      changes = named.isEmpty ? [] : changes.filter { !named.contains($0) }
      try write(changes)
    }
    return changes
  }

  /// Writes what these changes, and no others, make of the files, but for those that were edited.
  private mutating func write(_ changes: [Change]) throws(Unwritable) {
    for (file, text) in files.texts(with: changes) where text != texts[file] {
      guard package.read(file) == texts[file] else {
        edited.insert(file)
        continue
      }
      do { try package.write(file, text) } catch {
        throw Unwritable(file: file, reason: "\(error)")
      }
      texts[file] = text
      made[file] = changes.filter { $0.file == file }
    }
  }

  private func summary(
    _ changes: [Change], _ before: [String: Outcome], _ after: [String: Outcome]
  ) -> String {
    var text = ""
    for change in changes {
      let (old, new) = (before[change.filter]!, after[change.filter]!)
      text +=
        "fixed       \(change.name): \(old.seconds.secondsText), now \(new.seconds.secondsText)\n"
    }
    for (change, reason) in takenBack {
      let stays = edited.contains(change.file) && made[change.file, default: []].contains(change)
      text +=
        stays
        ? "to undo     \(change.name): \(reason); \(change.file) was edited meanwhile\n"
        : "taken back  \(change.name): \(reason)\n"
    }
    for file in edited.subtracting(plan.changes.map(\.file)) {
      text += "left alone  \(file): it was edited meanwhile\n"
    }
    for rest in rest { text += "left alone  \(rest.name): \(rest.reason)\n" }
    let old = changes.reduce(0) { $0 + before[$1.filter]!.seconds }
    let new = changes.reduce(0) { $0 + after[$1.filter]!.seconds }
    text += "\(changes.count) of \(plan.changes.count) changes stay"
    return text
      + (changes.isEmpty ? ".\n" : ": \(old.secondsText) before, \(new.secondsText) now.\n")
  }
}

extension Fixer.Outcome {
  /// The failure on a line of its own.
  fileprivate var failureLine: String { failure.map { "\n            \($0)" } ?? "" }

  /// Why a change is taken back; nil if it stays.
  fileprivate func reason(after old: Self) -> String? {
    if !passes { return "it fails in a simulation\(failureLine)" }
    // What a test takes varies by that much.
    if seconds > old.seconds * 1.1 + 0.05 {
      return "it takes longer: \(seconds.secondsText), \(old.seconds.secondsText) before"
    }
    return nil
  }
}
