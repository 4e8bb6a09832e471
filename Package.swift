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
  targets: [
    .target(name: "Sleepless"),
    .target(name: "SleeplessSimulation", dependencies: ["Sleepless"]),
    .target(name: "SleeplessTesting", dependencies: ["Sleepless", "SleeplessSimulation"]),
    .executableTarget(name: "Tour", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .target(name: "ExampleApp", dependencies: ["Sleepless"], path: "Tests/ExampleApp"),
    .testTarget(name: "ExampleTests", dependencies: ["ExampleApp", "SleeplessTesting"]),
    .testTarget(name: "SleeplessTests", dependencies: ["Sleepless"]),
    .testTarget(name: "SleeplessTestingTests", dependencies: ["SleeplessTesting"]),
  ],
  swiftLanguageModes: [.v6]
)
