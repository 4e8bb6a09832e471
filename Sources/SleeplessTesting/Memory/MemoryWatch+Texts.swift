extension MemoryWatch {
  static func neverReached(_ name: String) -> String {
    """
    \(name) was to be released by the end of the test, but was not checked: the end never came.
    The test was stopped before its checks. Nothing is known about the object. Correct what stopped the \
    test, and run it again.
    """
  }

  static func alreadyGoing(_ name: String, _ call: String) -> String {
    """
    \(call) was given a \(name) that is being deallocated, so it watches nothing.
    It was called in its deinit. Call it where the object is made.
    """
  }

  static func immortal(_ name: String, _ call: String) -> String {
    """
    \(call) was given a \(name) that is never freed, so it watches nothing.
    The compiler has laid it out in the program's data: a constant, or an empty collection's storage.
    """
  }

  static func noEnd(_ name: String, _ call: String) -> String {
    """
    \(call) watches nothing: the end of this test is unknown, so \(name) would never be looked for.
    Give the test or its suite the trait .checkedAtEnd (.simulated includes it), or build and release \
    the object in expectDeallocated { ... }. A detached task, a dispatch queue or a thread does not know \
    its test: call it in the test itself.
    """
  }

  static func tooLate(_ name: String, _ call: String) -> String {
    """
    \(call) was given a \(name) when the test had ended, so it watches nothing.
    Call it in the test or in setUp, not in tearDown, and not in work that outlives the test.
    """
  }
}
