import Foundation
import PackagePlugin

/// `swift package find-waits`: runs the tool in the folder of the package, and ends with its status.
///
/// It asks for no permission: without `--fix` the tool reads sources and prints. Where plugins run in a sandbox,
/// `--fix` needs the option `--allow-writing-to-package-directory` of `swift package`.
@main
struct FindWaitsPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "FindWaitsTool").url
    // How the manifest names the package that has the product: after its folder or its repository.
    let sleepless = context.package.dependencies.map(\.package).first { package in
      package.products.contains { $0.name == "SleeplessTesting" }
    }
    process.arguments = (sleepless.map { ["--package", $0.id] } ?? []) + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    // An error would add a line of its own to the report.
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }
}
