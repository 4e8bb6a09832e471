// swift-tools-version: 6.3
import PackageDescription

// Simulations rely on facts of the runtime. With the compilers for which these were verified, they capture the
// whole process; with others they use the public executors. CONTRIBUTING says what to do for a new compiler, and
// what the environment variable is for.
let isAsWithLaterCompiler = Context.environment["SLEEPLESS_AS_WITH_LATER_COMPILER"] == "1"
#if compiler(<6.4)
  let isVerified = !isAsWithLaterCompiler
#else
  let isVerified = false
#endif
let capturesProcess = SwiftSetting.define(
  "SLEEPLESS_CAPTURES_PROCESS",
  .when(platforms: [.linux], traits: isVerified ? nil : ["UnverifiedCompiler"]))

let package = Package(
  name: "Sleepless",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .library(name: "Sleepless", targets: ["Sleepless"]),
    .library(name: "SleeplessSimulation", targets: ["SleeplessSimulation"]),
    .library(name: "SleeplessTesting", targets: ["SleeplessTesting"]),
    .plugin(name: "FindWaits", targets: ["FindWaitsPlugin"]),
  ],
  traits: [
    .default(enabledTraits: ["CombineNames", "SourceLines"]),
    .trait(
      name: "CombineNames",
      description: """
        Where there is no Combine, gives our publishers Combine's names as well. Switch it off, with \
        traits: ["SourceLines"], where OpenCombine's names are to mean OpenCombine's types.
        """),
    .trait(
      name: "SourceLines",
      description: """
        Names the source lines in which tasks hang, with the toolchain's module Runtime. Switch it off where a \
        target of your own is called Runtime.
        """),
    .trait(
      name: "UnverifiedCompiler",
      description: """
        Lets simulations capture the whole process with a compiler for which that was not verified. The \
        runtime is still sampled when the process loads.
        """),
  ],
  targets: [
    .target(name: "CAtomics"),
    .target(name: "Sleepless", dependencies: ["CAtomics"]),
    .target(name: "VirtualTime", dependencies: ["Sleepless"]),
    .target(name: "CRuntimeHooks"),
    // SleeplessSimulation calls its C function, and must not import it: the file says why.
    .target(name: "DebugInformation", dependencies: ["CRuntimeHooks"]),
    .target(
      name: "SleeplessSimulation",
      dependencies: ["CRuntimeHooks", "DebugInformation", "Sleepless", "VirtualTime"],
      swiftSettings: [capturesProcess]),
    .target(name: "CHeapWalk"),
    // It needs VirtualTime only to be built later, beside SleeplessSimulation: a debug build from scratch is
    // then about a second shorter on two cores than with four compilers at once.
    .target(
      name: "RetainGraph", dependencies: ["CHeapWalk", "CRuntimeHooks", "Sleepless", "VirtualTime"]),
    .target(
      name: "SleeplessTesting",
      dependencies: [
        "CRuntimeHooks", "RetainGraph", "Sleepless", "SleeplessSimulation", "VirtualTime",
      ]),
    // `swift package find-waits`. Only the command builds them: no library depends on them.
    .target(name: "FindWaits"),
    .executableTarget(name: "FindWaitsTool", dependencies: ["FindWaits"]),
    .plugin(
      name: "FindWaitsPlugin",
      capability: .command(
        intent: .custom(
          verb: "find-waits", description: "Lists the tests that wait, and what to write instead.")),
      dependencies: ["FindWaitsTool"], path: "Sources/FindWaitsPlugin"),
    .target(name: "ExampleApp", dependencies: ["Sleepless"], path: "Tests/ExampleApp"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["Sleepless", "SleeplessTesting", "TestSupport", "VirtualTime"]),
    .testTarget(
      name: "ExampleTests", dependencies: ["ExampleApp", "SleeplessTesting", "TestSupport"]),
    .target(
      name: "TestSupport",
      dependencies: [
        "CRuntimeHooks", "CTestSupport", "RetainGraph", "Sleepless", "SleeplessSimulation",
      ],
      path: "Tests/TestSupport"),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .testTarget(name: "SleeplessTests", dependencies: ["Sleepless", "TestSupport", "VirtualTime"]),
    .testTarget(
      name: "VirtualTimeTests", dependencies: ["Sleepless", "TestSupport", "VirtualTime"]),
    .testTarget(
      name: "SleeplessSimulationTests",
      dependencies: [
        "CRuntimeHooks", "Sleepless", "SleeplessSimulation", "TestSupport", "VirtualTime",
      ]),
    .testTarget(name: "FindWaitsTests", dependencies: ["FindWaits"]),
    .testTarget(
      name: "RetainGraphTests", dependencies: ["CHeapWalk", "RetainGraph", "TestSupport"]),
    .testTarget(
      name: "SleeplessTestingTests",
      dependencies: [
        "CRuntimeHooks", "CTestSupport", "RetainGraph", "SleeplessSimulation", "SleeplessTesting",
        "TestSupport", "VirtualTime",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Programs that link XCTest, which Apple's systems find for test bundles alone: there they would not start.
#if os(Linux)
  package.targets += [
    .executableTarget(name: "Tour", dependencies: ["ExampleApp", "FindWaits", "SleeplessTesting"]),
    // No test target depends on it: its tests, which fail on purpose, would be linked into the
    // package's own test bundle. `swift build --build-tests` builds it all the same.
    .executableTarget(
      name: "ReportingFixture",
      dependencies: ["RetainGraph", "Sleepless", "SleeplessTesting", "VirtualTime"],
      path: "Tests/Fixtures/ReportingFixture"),
  ]
#endif

if isAsWithLaterCompiler {
  for target in package.targets where target.type != .plugin {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.define("SLEEPLESS_AS_WITH_LATER_COMPILER")]
  }
}

// On Linux, the branches of the sources that Apple's systems take: CONTRIBUTING, "The suite as Apple would run it".
if Context.environment["SLEEPLESS_AS_ON_APPLE"] == "1" {
  for target in package.targets where target.type != .plugin {
    target.cSettings = [.define("SLEEPLESS_AS_ON_APPLE")]
    target.swiftSettings = [.define("SLEEPLESS_AS_ON_APPLE")]  // and not SLEEPLESS_CAPTURES_PROCESS
  }
}

// What is left out under ThreadSanitizer: CONTRIBUTING, "The suite under ThreadSanitizer".
if Context.environment["SLEEPLESS_FOR_THREAD_SANITIZER"] == "1" {
  let leftOut = [
    "DocumentationTests", "FindWaits", "FindWaitsPlugin", "FindWaitsTests", "FindWaitsTool",
    "ReportingFixture", "Tour",
  ]
  package.targets.removeAll { leftOut.contains($0.name) }
  package.products.removeAll { leftOut.contains($0.name) }
}
