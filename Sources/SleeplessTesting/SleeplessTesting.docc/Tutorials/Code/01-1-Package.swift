// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Tickets",
  dependencies: [.package(path: "../sleepless")],
  targets: [
    .target(
      name: "Tickets",
      dependencies: [.product(name: "Sleepless", package: "sleepless")]),
    .testTarget(
      name: "TicketsTests",
      dependencies: ["Tickets", .product(name: "SleeplessTesting", package: "sleepless")]),
  ]
)
