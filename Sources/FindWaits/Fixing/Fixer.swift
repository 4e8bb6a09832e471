/// Makes changes, and takes back each one after which its tests fail or take longer.
struct Fixer {
  /// What it does to the package; tests give it a package of their own.
  struct Package {
    /// What its manifest calls Sleepless.
    var sleepless = "Sleepless"
    /// The folder of its manifest.
    var folder = ""
    let read: (String) -> String?
    /// Writes a file's text. Throws if that fails.
    let write: (String, String) throws -> Void
    /// Builds the tests. Returns what the compiler printed if that fails.
    let build: () -> String?
    /// Runs the tests that match a filter.
    let test: (String) -> Outcome
    let print: (String) -> Void
  }

  struct Outcome: Equatable {
    let passes: Bool
    let seconds: Double
  }

  private let plan: ChangePlan
  private let package: Package
  private let files: ChangedFiles

  init(_ plan: ChangePlan, in package: Package) {
    self.plan = plan
    self.package = package
    files = ChangedFiles(
      plan.changes, sleepless: package.sleepless, folder: package.folder, read: package.read)
  }

  /// Shows what it would change.
  func show() { package.print(files.diff(files.texts(with: plan.changes))) }

  private struct Unwritable: Error {
    let file: String
    let reason: String
  }

  /// Returns the exit status: 0, or 2 if the package did not build before, or a file cannot be written.
  func fix() -> Int32 {
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

  private func fixAndTest() throws(Unwritable) -> Int32 {
    show()
    guard !plan.changes.isEmpty else {
      package.print(summary([], [:], [:], []))
      return 0
    }
    if let output = package.build() {
      package.print(output)
      package.print("The package does not build. Correct that first; nothing was changed.\n")
      return 2
    }
    var takenBack: [ChangePlan.Rest] = []
    var before: [String: Outcome] = [:]
    var changes: [Change] = []
    for change in plan.changes {
      let outcome = package.test(change.filter)
      before[change.filter] = outcome
      if outcome.passes {
        changes.append(change)
      } else {
        takenBack.append(.init(name: change.name, reason: "it fails before the change"))
      }
    }
    changes = try built(changes, &takenBack)
    var after: [String: Outcome] = [:]
    for change in changes {
      let (old, new) = (before[change.filter]!, package.test(change.filter))
      after[change.filter] = new
      if let reason = new.reason(after: old) {
        takenBack.append(.init(name: change.name, reason: reason))
        changes.removeAll { $0 == change }
      }
    }
    try write(changes)
    package.print(summary(changes, before, after, takenBack))
    return 0
  }

  /// Writes the changes and returns those with which the package builds.
  private func built(_ changes: [Change], _ takenBack: inout [ChangePlan.Rest]) throws(Unwritable)
    -> [Change]
  {
    var changes = changes
    while true {
      try write(changes)
      guard !changes.isEmpty, let output = package.build() else { return changes }
      let errors = output.split(separator: "\n").filter { $0.contains("error: ") }
      package.print(errors.prefix(20).map { "\($0)\n" }.joined())
      // Those in files with an error; all, if no error names one of them.
      let named = changes.filter { change in errors.contains { $0.contains("\(change.file):") } }
      for change in named.isEmpty ? changes : named {
        takenBack.append(.init(name: change.name, reason: "it does not compile"))
      }
      changes = named.isEmpty ? [] : changes.filter { !named.contains($0) }
    }
  }

  private func write(_ changes: [Change]) throws(Unwritable) {
    for (file, text) in files.texts(with: changes) where package.read(file) != text {
      do { try package.write(file, text) } catch {
        throw Unwritable(file: file, reason: "\(error)")
      }
    }
  }

  private func summary(
    _ changes: [Change], _ before: [String: Outcome], _ after: [String: Outcome],
    _ takenBack: [ChangePlan.Rest]
  ) -> String {
    var text = ""
    for change in changes {
      let (old, new) = (before[change.filter]!, after[change.filter]!)
      text +=
        "fixed       \(change.name): \(old.seconds.secondsText), now \(new.seconds.secondsText)\n"
    }
    for rest in takenBack { text += "taken back  \(rest.name): \(rest.reason)\n" }
    for rest in plan.rest { text += "left alone  \(rest.name): \(rest.reason)\n" }
    let old = changes.reduce(0) { $0 + before[$1.filter]!.seconds }
    let new = changes.reduce(0) { $0 + after[$1.filter]!.seconds }
    text += "\(changes.count) of \(plan.changes.count) changes stay"
    return text
      + (changes.isEmpty ? ".\n" : ": \(old.secondsText) before, \(new.secondsText) now.\n")
  }
}

extension Fixer.Outcome {
  /// Why a change is taken back; nil if it stays.
  fileprivate func reason(after old: Self) -> String? {
    if !passes { return "it fails in a simulation" }
    // What a test takes varies by that much.
    if seconds > old.seconds * 1.1 + 0.05 {
      return "it takes longer: \(seconds.secondsText), \(old.seconds.secondsText) before"
    }
    return nil
  }
}
