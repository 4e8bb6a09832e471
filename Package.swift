// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Sleepless",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .library(name: "Sleepless", targets: ["Sleepless"]),
    .library(name: "SleeplessSimulation", targets: ["SleeplessSimulation"]),
    .library(name: "SleeplessTesting", targets: ["SleeplessTesting"]),
  ],
  traits: [
    .default(enabledTraits: ["CombineNames"]),
    .trait(
      name: "CombineNames",
      description: """
        Where there is no Combine, gives our publishers Combine's names as well. Switch it off, with \
        traits: [], where OpenCombine's names are to mean OpenCombine's types.
        """),
  ],
  targets: [
    .target(name: "CAtomics"),
    .target(name: "Sleepless", dependencies: ["CAtomics"]),
    .target(name: "VirtualTime", dependencies: ["Sleepless"]),
    .target(name: "CRuntimeHooks"),
    .target(
      name: "SleeplessSimulation", dependencies: ["CRuntimeHooks", "Sleepless", "VirtualTime"]),
    .target(name: "CHeapWalk"),
    // It needs VirtualTime only to be built later, beside SleeplessSimulation: a debug build from scratch is
    // then about a second shorter on two cores than with four compilers at once.
    .target(name: "RetainGraph", dependencies: ["CHeapWalk", "Sleepless", "VirtualTime"]),
    .target(
      name: "SleeplessTesting",
      dependencies: [
        "CRuntimeHooks", "RetainGraph", "Sleepless", "SleeplessSimulation", "VirtualTime",
      ]),
    .executableTarget(name: "Tour", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .target(name: "ExampleApp", dependencies: ["Sleepless"], path: "Tests/ExampleApp"),
    .testTarget(name: "DocumentationTests", dependencies: ["Sleepless", "SleeplessTesting"]),
    .testTarget(name: "ExampleTests", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "Sleepless"], path: "Tests/TestSupport"),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .testTarget(name: "SleeplessTests", dependencies: ["Sleepless", "TestSupport", "VirtualTime"]),
    .testTarget(
      name: "VirtualTimeTests", dependencies: ["Sleepless", "TestSupport", "VirtualTime"]),
    .testTarget(
      name: "SleeplessSimulationTests",
      dependencies: [
        "CRuntimeHooks", "Sleepless", "SleeplessSimulation", "TestSupport", "VirtualTime",
      ]),
    .testTarget(name: "RetainGraphTests", dependencies: ["RetainGraph"]),
    .testTarget(
      name: "SleeplessTestingTests",
      dependencies: ["RetainGraph", "SleeplessTesting", "TestSupport", "VirtualTime"]),
    // No test target depends on it: its tests, which fail on purpose, would be linked into the
    // package's own test bundle. `swift build --build-tests` builds it all the same.
    .executableTarget(
      name: "ReportingFixture", dependencies: ["Sleepless", "SleeplessTesting", "VirtualTime"],
      path: "Tests/Fixtures/ReportingFixture"),
  ],
  swiftLanguageModes: [.v6]
)
