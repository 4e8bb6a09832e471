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
    .target(name: "Sleepless"),
    .target(name: "CSleepless"),
    .target(name: "SleeplessSimulation", dependencies: ["CSleepless", "Sleepless"]),
    .target(
      name: "SleeplessTesting", dependencies: ["CSleepless", "Sleepless", "SleeplessSimulation"]),
    .executableTarget(name: "Tour", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .target(name: "ExampleApp", dependencies: ["Sleepless"], path: "Tests/ExampleApp"),
    .testTarget(name: "DocumentationTests", dependencies: ["Sleepless", "SleeplessTesting"]),
    .testTarget(name: "ExampleTests", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport", "Sleepless"], path: "Tests/TestSupport"),
    .target(name: "CTestSupport", path: "Tests/CTestSupport"),
    .testTarget(name: "SleeplessTests", dependencies: ["Sleepless", "TestSupport"]),
    .testTarget(
      name: "SleeplessSimulationTests",
      dependencies: ["Sleepless", "SleeplessSimulation", "TestSupport"]),
    .testTarget(
      name: "SleeplessTestingTests", dependencies: ["SleeplessTesting", "TestSupport"]),
    // No test target depends on it: its tests, which fail on purpose, would be linked into the
    // package's own test bundle. `swift build --build-tests` builds it all the same.
    .executableTarget(
      name: "ReportingFixture", dependencies: ["Sleepless", "SleeplessTesting"],
      path: "Tests/Fixtures/ReportingFixture"),
  ],
  swiftLanguageModes: [.v6]
)
