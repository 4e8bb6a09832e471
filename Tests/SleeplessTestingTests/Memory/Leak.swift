import Foundation
import RetainGraph
import Sleepless
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// A way in which objects leak, the failure that a user then reads, and the code without the mistake.
struct Leak: Sendable, CustomTestStringConvertible {
  let name: String
  let file: String
  let line: Int
  /// The whole text.
  let text: String
  /// The need of the text: its path begins at a task, which is found only if tasks are captured.
  let need: Need?
  /// What is different in simulations.
  let inSimulations: InSimulations
  /// Expects the release of an object that is not released.
  let leak: @Sendable () async -> Void
  /// The same without the mistake.
  let healthy: @Sendable () async -> Void

  var testDescription: String { name }

  enum InSimulations {
    case same
    /// The simulation keeps the blocks of queues, and its memory leads to no text. Virtual time moves on for a task
    /// that sleeps again and again, and for a timer that repeats.
    case reads(String)
  }

  init(
    _ name: String, in file: String = #fileID, at line: Int, reads text: String,
    needs need: Need? = nil, inSimulations: InSimulations = .same,
    leak: @escaping @Sendable () async -> Void, healthy: @escaping @Sendable () async -> Void
  ) {
    self.name = name
    self.file = file
    self.line = line
    self.text = text
    self.need = need
    self.inSimulations = inSimulations
    self.leak = leak
    self.healthy = healthy
  }

  /// Whether the failure is known: where memory cannot be searched it is always the same.
  var isKnown: Bool { need?.isMet != false || !Need.memorySearch.isMet }

  /// The leaks for tests that repeat the catalogue in another form. In release builds every tenth: these run under
  /// ThreadSanitizer, where a search takes many times as long.
  static let ofFurtherForms = {
    #if DEBUG
      return all
    #else
      return everyTenth
    #endif
  }()

  static let everyTenth = stride(from: 0, to: all.count, by: 10).map { all[$0] }

  /// The failure in a simulation in which time moves so often at most.
  func failureInSimulation(moves: Int = 10_000) -> Failure {
    guard case .reads(let text) = inSimulations else { return failure }
    let given = text.replacing("Given * moves", with: "Given \(moves) moves")
    return Failure(given, file: file, line: line).withoutTasks
  }

  /// The failure; where memory cannot be searched, the one that says so.
  var failure: Failure {
    guard !Need.memorySearch.isMet else {
      return Failure(text, file: file, line: line).withoutTasks
    }
    let words = text.prefix { $0 != ":" && $0 != "." }.components(
      separatedBy: " was not deallocated")
    // What is left of the text says what the test's tasks do, which is known without a search.
    let tasks = text.range(of: "\nGiven ").map { text[$0.lowerBound...] } ?? ""
    let isTold = Need.capture.isMet
    return Failure(Self.unsearched(words[0]) + (isTold ? tasks : ""), file: file, line: line)
  }

  private static var reason: String {
    guard let obstacle = RetainPathSearch.obstacle else {
      return "What holds it is known on Linux only."
    }
    return "Memory is not searched for what holds it, because this does not hold: \(obstacle)."
  }

  static func unsearched(_ name: String) -> String {
    """
    \(name) was not deallocated. \(reason)
    Look for a closure that captures it strongly, for a delegate or parent that is not weak, and for a \
    task, timer or subscription that has not ended.
    """
  }

  /// The failure when nothing can release the object any more.
  static func cycle(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: it keeps itself alive.
      \(path)
    Make one of these references weak or unowned, or release it when its work is done: set it to \
    nil, remove the observer, cancel the timer or the subscription.
    """
  }

  static func task(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: a task that has not ended holds it.
      \(path)
    Unfinished: task *
    Cancel the task when its owner is no longer needed, and let it hold the owner weakly between \
    two steps. Or end the stream, the continuation or the loop that it waits for.
    """
  }

  static func program(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: a static property or a global variable holds it.
      \(path)
    Remove it there when its work is done. If it should live as long as the program, do not watch \
    it.
    """
  }

  static func thread(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: a thread-specific value holds it.
      \(path)
    Set the value to nil when its work is done, remove it from the thread's threadDictionary, or let \
    the thread end.
    """
  }

  /// Marks the path as a guess.
  static func guess(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    lines.insert("  A guess: a part of this path lies in memory whose layout is unknown.", at: 2)
    return lines.joined(separator: "\n")
  }

  static func shared(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: it can be reached from an object that the whole program shares.
      \(path)
      A guess: a part of this path lies in memory whose layout is unknown.
    Remove the observer, cancel the operation or invalidate the timer when its owner is no longer \
    needed, and let its closure capture the owner weakly.
    """
  }

  static func others(_ name: String, _ path: String, _ cycle: String) -> String {
    """
    \(name) was not deallocated: objects that keep themselves alive hold it.
      \(path)
      \(cycle)
    Make one of the references on the last line weak or unowned, or release it when its work is \
    done.
    """
  }

  static func elsewhere(_ name: String, _ path: String) -> String {
    """
    \(name) was not deallocated: 1 strong reference to it left. Where the path to it begins was not found.
      ... -> \(path)
    Searched without result: *.
    It may begin in a variable of a function that has not returned, on a queue or a run loop, in \
    memory that a thread-specific value points to, or in C code.
    """
  }

  /// What is added to a failure in a simulation in which virtual time would move on for ever.
  static func restless(_ unrest: String) -> String {
    """

    Given * moves of virtual time (to *), the test's work did not come to rest:
      \(unrest)
    """
  }

  /// Leaks. The check waits only shortly for a release.
  func provoke() async {
    await HangTimeout.$shortened.withValue(.milliseconds(20)) { await leak() }
  }

  /// The failures of provoking it, without what differs from run to run.
  ///
  /// Where no search finds a holder, a guess may be made: memory that is in use again may contain an address that it
  /// had before. Then the leak is provoked again, twice at most.
  func failures(
    isolation: isolated (any Actor)? = #isolation, expected: Failure,
    caughtBy catching: (_ provoke: () async -> Void) async -> [Failure]
  ) async -> [Failure] {
    let isUnknown = expected.text.contains("Searched without result")
    var failures: [Failure] = []
    for _ in 1...3 {
      failures = await catching { await provoke() }.map(\.withoutTasks)
      guard isUnknown, failures.contains(where: { $0.text.contains("A guess:") }) else { break }
    }
    return failures
  }

  static func unreached(_ name: String) -> String {
    """
    \(name) was not deallocated: 1 strong reference to it left, in places that the search does not reach.
    Searched without result: *.
    It may be held by a variable of a function that has not returned, by a closure on a queue, by \
    memory that a thread-specific value points to, or by C code.
    """
  }

  /// Waits, for as long as it takes, until the tasks that the leak has started wait in turn. Where they cannot
  /// be followed, no failure names them either.
  static func settleTasks() async {
    guard Need.capture.isMet else { return }
    await HangTimeout.$shortened.withValue(nil) { await settle() }
  }

  /// How often the correct code is checked. Set the environment variable `SLEEPLESS_LEAK_ROUNDS` to look
  /// for false alarms.
  static let rounds =
    ProcessInfo.processInfo.environment["SLEEPLESS_LEAK_ROUNDS"].flatMap { Int($0) } ?? 20

  /// How often each leak is searched beside other work. Set the environment variable `SLEEPLESS_LEAK_SEARCHES` to look
  /// for wrong holders.
  static let roundsBesideOthers =
    ProcessInfo.processInfo.environment["SLEEPLESS_LEAK_SEARCHES"].flatMap { Int($0) } ?? 1

  static let all =
    references + closures + containers + values + tasks + timersAndObservers + blocks + threads
}

extension Failure {
  /// The text without the parts that differ from run to run: the numbers of tasks and threads, where tasks wait,
  /// and the number of searched objects.
  var withoutTasks: Failure {
    // In XCTest the test is a task as well.
    let ownTask = "\n  task *: running, or waiting for something other than time"
    let text = withoutFunctions.text.replacing(#/task \d+/#, with: "task *")
      // A thread has the name of the thread that made it, which may be any.
      .replacing(#/thread \d+( "[^"]*")?/#, with: "thread *")
      // A task that has not begun to run still has its closure, and so has an optimised one.
      .replacing(#/task \* -> closure capturing (\w+)/#) { "task * -> \($0.1)" }
      .replacing(#/Searched without result: [^\n]*/#, with: "Searched without result: *.")
      .replacing(ownTask, with: "")
      // A test may run one leak after another.
      .replacing(#/(?<words>\(to|due at|asleep until|since) [\d.]+ s\b/#) { "\($0.words) *" }
      // On a busy machine 20 ms may be too short for the tasks of the leaks beside this one.
      .replacing(
        "\nGiven 20 ms of real time, the test's work did not come to rest:", with: "")
    return Failure(text, file: file, line: line)
  }
}
