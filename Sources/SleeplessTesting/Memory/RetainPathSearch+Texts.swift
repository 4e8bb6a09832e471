import RetainGraph
import Sleepless

extension RetainPathSearch {
  /// The failure about an object that should have been released.
  func text(about name: String, at address: UInt, rest: EndOfTest.Rest) -> String {
    text(about: name, held: holder(of: address), rest: rest)
  }

  func text(about name: String, held holder: Holder, rest: EndOfTest.Rest) -> String {
    let text = Self.text(about: name, held: holder)
    guard let unrest = rest.unrest else { return text }
    return """
      \(text)
      Given \(rest.given), the test's work did not come to rest:
      \(unrest)
      """
  }

  /// What a thread may keep and no search reads.
  private static var ofThreads: String {
    findsThreadValues
      ? "memory that a thread-specific value points to" : "a thread-specific value"
  }

  static func text(about name: String, held holder: Holder) -> String {
    switch holder {
    case .itself(let path):
      return """
        \(name) was not deallocated: it keeps itself alive.
          \(path)
        Make one of these references weak or unowned, or release it when its work is done: set it \
        to nil, remove the observer, cancel the timer or the subscription.
        """
    case .task(let path, let place):
      return """
        \(name) was not deallocated: a task that has not ended holds it.
          \(path)
        Unfinished: \(place)
        Cancel the task when its owner is no longer needed, and let it hold the owner weakly \
        between two steps. Or end the stream, the continuation or the loop that it waits for.
        """
    case .testCase(let path):
      return """
        \(name) was not deallocated: the test case holds it.
          \(path)
        XCTest keeps each test case until the process ends. Use a local variable, or set the property to \
        nil in the test or in a teardown block; tearDown() comes too late.
        """
    case .program(let path):
      return """
        \(name) was not deallocated: a static property or a global variable holds it.
          \(path)
        Remove it there when its work is done. If it should live as long as the program, do not \
        watch it.
        """
    case .thread(let path):
      return """
        \(name) was not deallocated: a thread-specific value holds it.
          \(path)
        Set the value to nil when its work is done, remove it from the thread's threadDictionary, or let the thread \
        end.
        """
    case .shared(let path):
      return """
        \(name) was not deallocated: it can be reached from an object that the whole program shares.
          \(path)
        Remove the observer, cancel the operation or invalidate the timer when its owner is no \
        longer needed, and let its closure capture the owner weakly.
        """
    case .others(let path, let cycle):
      return """
        \(name) was not deallocated: objects that keep themselves alive hold it.
          \(path)
          \(cycle)
        Make one of the references on the last line weak or unowned, or release it when its work \
        is done.
        """
    case .elsewhere(let path, let references, let searched):
      let count = references == 1 ? "1 strong reference" : "\(references) strong references"
      let searches = "Searched without result: \(searched.joined(separator: "; "))."
      guard let path else {
        return """
          \(name) was not deallocated: \(count) to it left, in places that the search does not \
          reach.
          \(searches)
          It may be held by a variable of a function that has not returned, by a closure on a queue, by \
          \(ofThreads), or by C code.
          """
      }
      return """
        \(name) was not deallocated: \(count) to it left. Where the path to it begins was not found.
          ... -> \(path)
        \(searches)
        It may begin in a variable of a function that has not returned, on a queue or a run loop, in \
        \(ofThreads), or in C code.
        """
    case .unknown(let missing):
      let reason =
        missing.map {
          "Memory is not searched for what holds it, because this does not hold: \($0)."
        }
        ?? "What holds it is known on Linux only."
      return """
        \(name) was not deallocated. \(reason)
        Look for a closure that captures it strongly, for a delegate or parent that is not weak, and for \
        a task, timer or subscription that has not ended.
        """
    }
  }
}
