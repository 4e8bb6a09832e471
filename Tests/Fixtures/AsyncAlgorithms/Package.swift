// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that Sleepless depends on none: other people's operators on our clock. It has a
// target called Runtime, like the toolchain's module, so it switches the trait SourceLines off.
let package = Package(
  name: "AsyncAlgorithmsFixture",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "Sleepless", path: "../../..", traits: ["CombineNames"]),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
  ],
  targets: [
    .target(name: "Runtime", path: "Runtime"),
    .testTarget(
      name: "AsyncAlgorithmsTests",
      dependencies: [
        "Runtime", .product(name: "SleeplessTesting", package: "Sleepless"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      path: "Tests"),
  ],
  swiftLanguageModes: [.v6]
)
