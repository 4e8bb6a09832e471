// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that Sleepless depends on none: other people's operators on our clock.
let package = Package(
  name: "AsyncAlgorithmsFixture",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "Sleepless", path: "../../.."),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
  ],
  targets: [
    .testTarget(
      name: "AsyncAlgorithmsTests",
      dependencies: [
        .product(name: "SleeplessTesting", package: "Sleepless"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      path: "Tests")
  ],
  swiftLanguageModes: [.v6]
)
