import SleeplessSimulation

/// Events of a simulation, with the virtual time at which they happened.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct TimedLog: Sendable {
  private let log = Log<String>()

  package init() {}

  package var values: [String] { log.values }

  package func note(_ event: String) { log.append("\(event) at \(Simulation.current!.now)") }
}
