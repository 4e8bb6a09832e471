// swift-tools-version: 6.3
import PackageDescription

// Our sources once more, with OpenCombine standing in under the name Combine, so that what is
// written for Combine is compiled and tested where there is none.
let package = Package(
  name: "CombineFixture",
  dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
  targets: [
    .target(
      name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")],
      path: "Combine"),
    .target(name: "CAtomics"),
    .target(name: "Sleepless", dependencies: ["CAtomics", "Combine"]),
    .target(name: "VirtualTime", dependencies: ["Sleepless"]),
    .target(name: "CRuntimeHooks"),
    .target(
      name: "DebugInformation", dependencies: ["CRuntimeHooks"],
      swiftSettings: [.define("SourceLines")]),
    .target(
      name: "SleeplessSimulation",
      dependencies: ["CRuntimeHooks", "DebugInformation", "Sleepless", "VirtualTime"],
      // What the package's own manifest and traits define.
      swiftSettings: [.define("SLEEPLESS_CAPTURES_PROCESS"), .define("SourceLines")]),
    .target(name: "CHeapWalk"),
    .target(name: "RetainGraph", dependencies: ["CHeapWalk", "CRuntimeHooks", "Sleepless"]),
    .target(
      name: "SleeplessTesting",
      dependencies: [
        "CRuntimeHooks", "RetainGraph", "Sleepless", "SleeplessSimulation", "VirtualTime",
      ]),
    .testTarget(
      name: "CombineTests",
      dependencies: [
        "SleeplessTesting", "Sleepless", "Combine",
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "OpenCombineFoundation", package: "OpenCombine"),
      ], path: "CombineTests"),
  ],
  swiftLanguageModes: [.v6]
)
