// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the peers we are measured beside never become dependencies of
// Sleepless. `traits: []` leaves out the benchmark package's interposers: without them there is
// nothing in the way of malloc and retain; `allocations` counts under valgrind instead.

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    // Without Combine's names: here they are OpenCombine's.
    .package(name: "Sleepless", path: "..", traits: []),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(
      name: "Cases",
      dependencies: [.product(name: "Benchmark", package: "benchmark")]),
    // Not `VirtualTime`: that is a target of Sleepless, and names are unique in the whole graph.
    .executableTarget(
      name: "Scheduling",
      dependencies: [
        "Cases",
        .product(name: "SleeplessTesting", package: "Sleepless"),
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      path: "Benchmarks/VirtualTime",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .target(name: "Programs"),
    .target(name: "EarlyThreads"),
    .executableTarget(
      name: "Starting",
      dependencies: [
        "EarlyThreads",
        .product(name: "SleeplessSimulation", package: "Sleepless"),
      ]),
    .target(name: "Outside"),
    .executableTarget(name: "OutsideAlone", dependencies: ["Outside"]),
    .executableTarget(
      name: "OutsideBeside",
      dependencies: [
        "Outside",
        .product(name: "SleeplessSimulation", package: "Sleepless"),
      ]),
    .executableTarget(
      name: "Simulating",
      dependencies: [
        "Programs",
        .product(name: "SleeplessSimulation", package: "Sleepless"),
      ]),
    .executableTarget(
      name: "Sleepers",
      dependencies: [.product(name: "SleeplessSimulation", package: "Sleepless")]),
    .executableTarget(
      name: "FindingBugs",
      dependencies: [.product(name: "SleeplessSimulation", package: "Sleepless")]),
    .executableTarget(
      name: "Publishing",
      dependencies: [
        "Cases",
        .product(name: "Sleepless", package: "Sleepless"),
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      path: "Benchmarks/Publishing",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(
      name: "Recording",
      dependencies: [
        "Cases",
        .product(name: "SleeplessTesting", package: "Sleepless"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/Recording",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(
      name: "Noticing",
      dependencies: [.product(name: "SleeplessTesting", package: "Sleepless")]),
    .executableTarget(
      name: "Watching",
      dependencies: [.product(name: "SleeplessTesting", package: "Sleepless")]),
    .executableTarget(
      name: "ManySimulations",
      dependencies: [.product(name: "SleeplessSimulation", package: "Sleepless")]),
    .executableTarget(
      name: "Allocations",
      dependencies: [
        .product(name: "SleeplessTesting", package: "Sleepless"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      // valgrind stumbles over Swift's debug information, so this one is linked without.
      linkerSettings: [.unsafeFlags(["-Xlinker", "-s"], .when(platforms: [.linux]))]),
  ],
  swiftLanguageModes: [.v6]
)
