/// What the command line asks for.
struct Arguments: Equatable {
  enum Format: String, CaseIterable { case text, json, github, baseline }

  var paths: [String] = []
  var excluded: [String] = []
  var format = Format.text
  var failsOnWaits = false
  var baseline: String?
  var timings: String?
  /// Whether it makes the changes that are certain.
  var fixes = false
  /// Whether it only shows them.
  var showsFixes = false
  /// Whether these changes include cases of XCTest that have tests with other verdicts.
  var tries = false
  /// What the manifest calls Sleepless in `.product(name:package:)`.
  var package = "Sleepless"
  var wantsHelp = false

  struct Misuse: Error, Equatable { let text: String }

  init(_ words: [String]) throws(Misuse) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h", "help":
        wantsHelp = true
      case "--fail-on-waits":
        failsOnWaits = true
      case "--fix":
        fixes = true
      case "--diff":
        showsFixes = true
      case "--try":
        tries = true
      case "--format":
        let name = try Self.value(of: word, in: &rest)
        guard let known = Format(rawValue: name) else {
          let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
          throw Misuse(text: "--format must be one of \(names) (was \(name)).")
        }
        format = known
      case "--baseline":
        baseline = try Self.value(of: word, in: &rest)
      case "--with":
        timings = try Self.value(of: word, in: &rest)
      case "--package":
        package = try Self.value(of: word, in: &rest)
      case "--exclude":
        excluded.append(try Self.value(of: word, in: &rest))
      case _ where word.hasPrefix("-"):
        throw Misuse(text: "There is no option \(word). --help lists the options.")
      default:
        paths.append(word)
      }
    }
    if paths.isEmpty { paths = ["."] }
  }

  private static func value(
    of option: String, in rest: inout ArraySlice<String>
  ) throws(Misuse) -> String {
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw Misuse(text: "\(option) needs a value. --help says which.")
    }
    return value
  }

  static let help = """
    Lists the tests that wait, and what to write instead.

    usage: swift package find-waits [path...] [options]

    It reads Swift sources; without --fix it runs nothing and writes nothing.
    Without a path it reads the package. Tests are those of Swift Testing, XCTest
    and Quick.

      --format text       each test with its places, for a terminal (default)
      --format json       the same for programs
      --format github     an annotation for each place, for GitHub Actions
      --format baseline   the known waits, for --baseline
      --fail-on-waits     end with status 1 if a test waits, or if a file could
                          not be read
      --baseline FILE     leave out the waits that FILE lists
      --with FILE         join what SLEEPLESS_WAITS=FILE swift test has measured
      --exclude PATH      leave out a file or a folder
      --diff              show the changes that --fix would make
      --fix               add the trait or the base class where that is enough,
                          with the import and the dependency; runs the tests, and
                          takes back each change after which one fails or takes
                          longer
      --try               with --fix or --diff: also try the base class for a case
                          some of whose tests need a line or an injected queue;
                          the runs decide, for this system
      --package NAME      what the manifest calls Sleepless, for the dependency;
                          swift package fills it in
      --help              this text

    Step by step: write the waits of today to a file and commit it. Then CI
    fails only on new ones.

      swift package find-waits --format baseline > .waits
      swift package find-waits --fail-on-waits --baseline .waits

    status: 0 done, 1 tests wait (with --fail-on-waits), 2 nothing was read

    """
}
