// swift-tools-version: 6.2
import PackageDescription

/// A small package whose tests sleep. `.ci/fix` lets find-waits change a copy of it.
let package = Package(
  name: "Shop",
  platforms: [.macOS(.v13)],
  dependencies: [.package(path: "../../..")],
  targets: [
    .target(name: "Shop"),
    .testTarget(name: "ShopTests", dependencies: ["Shop"]),
  ]
)
